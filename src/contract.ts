import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { components, operations } from './contract-types.js'

export type OperationId = keyof operations
export type SchemaName = keyof components['schemas']
export type Schema<Name extends SchemaName> = components['schemas'][Name]
export type Role = Schema<'Role'>

type Parameters<Id extends OperationId> = operations[Id]['parameters']
type PathOf<P> = P extends { path: infer T } ? T : unknown
type QueryOf<P> = P extends { query?: infer T } ? NonNullable<T> : unknown
type Json<T> = T extends { content: { 'application/json': infer Body } }
  ? Body | OtherForms<T['content']>
  : T extends { content: { 'text/event-stream': unknown } }
    ? EventStream
    : T extends { content: { 'image/svg+xml': unknown } }
      ? Picture
      : T extends { content: object }
        ? Attachment
        : undefined
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer T }
  ? Json<T>
  : operations[Id] extends { requestBody?: infer T }
    ? Json<NonNullable<T>> | undefined
    : unknown
/** A body with other media types beside JSON is a file in each of them. */
type OtherForms<Content> =
  Exclude<keyof Content, 'application/json'> extends never ? never : Attachment
type Responses<Id extends OperationId> = operations[Id]['responses']
export type SuccessBody<Id extends OperationId> = Json<
  Responses<Id>[keyof Responses<Id> & (200 | 201 | 202 | 204)]
>

export type OperationRequest<Id extends OperationId> = FastifyRequest<{
  Params: PathOf<Parameters<Id>>
  Querystring: QueryOf<Parameters<Id>>
  Body: RequestBody<Id>
}>

declare const content: unique symbol

/** A text in pieces. The next piece is made when the one before was taken. */
export type Pieces = AsyncIterable<string | Buffer>

/** JSON text that is sent as it is, typed as its content. */
export class JsonText<T> {
  declare readonly [content]: T
  constructor(readonly text: string | Pieces) {}
}

/** A file, sent in pieces. */
export class Attachment {
  constructor(
    readonly type: string,
    readonly name: string,
    readonly content: Pieces,
  ) {}
}

/** An SVG picture. */
export class Picture {
  constructor(
    readonly type: string,
    readonly text: string,
  ) {}
}

/** Server-sent events. `end` is called when the connection closes. */
export class EventStream {
  constructor(
    readonly events: Pieces,
    readonly end: () => void,
  ) {}
}

/** The answer 304: the caller has the current state already. */
export class NotModified {}

/** Returns the success answer of an operation, or throws one of its errors. */
export type Handler<Id extends OperationId> = (
  request: OperationRequest<Id>,
  reply: FastifyReply,
) => Promise<Answer<SuccessBody<Id>> | UnchangedAnswer<Id>>

type UnchangedAnswer<Id extends OperationId> = 304 extends keyof Responses<Id> ? NotModified : never

/** The handler of every operation. */
export type Operations = { readonly [Id in OperationId]: Handler<Id> }

type Answer<Body> = Body extends Attachment | EventStream | Picture
  ? Body
  : [Body] extends [undefined]
    ? undefined
    : Body | JsonText<Body>

export interface Operation {
  operationId: OperationId
  method: string
  path: string
  tag: string
  /** The roles that may call it with an access token; null when anyone may. */
  roles: Role[] | null
  /** The roles that may call it with an API key. */
  apiKeyRoles: Role[]
  /** Whether the token of a seat may call it, in the session of the seat. */
  allowsSeat: boolean
  /** Whether a caller with a temporary password may call it. */
  allowsTemporaryPassword: boolean
  successStatus: number
  /** Whether its answer has a secret and must not be cached. */
  answersSecret: boolean
  /** Whether its answer is an event stream. */
  streamsEvents: boolean
  bodyRequired: boolean
  /** How many bytes its body may have; null for the configured limit. */
  bodyLimit: number | null
  /** Whether it has the strict rate limit of callers without a token. */
  isOfStrangers: boolean
  /** Whether it renders many texts, which organizations do in turns. */
  rendersInTurns: boolean
  /** The limits of the organization that it can exceed (409 `quota_exceeded`). */
  quotas: string[]
  /** The list in the body whose items count as events, each as one; null if a request is one event. */
  countedList: string | null
  /** The audit events that it records. */
  auditEvents: { category: string; event_type: string }[]
}

type JsonObject = Record<string, unknown>
interface OperationObject {
  operationId: OperationId
  tags: [string]
  security: { bearerAuth?: Role[]; apiKeyAuth?: Role[]; seatAuth?: [] }[]
  'x-allows-temporary-password'?: boolean
  'x-audit-events'?: Operation['auditEvents']
  'x-body-limit'?: number
  'x-counts'?: `body.${string}`
  'x-quotas'?: string[]
  'x-rate-limit'?: 'strangers'
  'x-turns'?: 'rendering'
  requestBody?: { required?: boolean }
  responses: Record<string, { headers?: Record<string, { $ref?: string }>; content?: object }>
}
export interface Contract {
  document: JsonObject
  /** Also the version of the service: they are released together. */
  version: string
  operations: Operation[]
  /** Descriptions of the audit events, by category and type. */
  auditEvents: Record<string, { description: string; event_types: Record<string, string> }>
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const

let contract: Contract | undefined

/** Returns the contract that the build has checked. Reads it once per process. */
export function loadContract(): Contract {
  contract ??= readContract(fileURLToPath(import.meta.resolve('#dist/openapi.json')))
  return contract
}

function readContract(file: string): Contract {
  const document = JSON.parse(readFileSync(file, 'utf8')) as JsonObject & {
    info: { version: string }
    paths: Record<string, Record<string, OperationObject>>
    'x-audit-events': Contract['auditEvents']
  }
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation ? [describeOperation(path, method, operation)] : []
    }),
  )
  const { info, 'x-audit-events': auditEvents } = document
  return { document, version: info.version, operations, auditEvents }
}

function describeOperation(path: string, method: string, operation: OperationObject): Operation {
  const statuses = Object.keys(operation.responses)
  const success = statuses.find((status) => status.startsWith('2')) ?? ''
  const roles = operation.security.find((scheme) => scheme.bearerAuth)?.bearerAuth ?? null
  const apiKeyRoles = operation.security.flatMap((scheme) => scheme.apiKeyAuth ?? [])
  if (!roles && apiKeyRoles.length > 0) {
    throw new Error(`${operation.operationId} allows API keys but no access tokens`)
  }
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0],
    roles,
    apiKeyRoles,
    allowsSeat: operation.security.some(({ seatAuth }) => seatAuth !== undefined),
    allowsTemporaryPassword: operation['x-allows-temporary-password'] ?? false,
    successStatus: Number(success),
    answersSecret:
      operation.responses[success]?.headers?.['Cache-Control']?.$ref ===
      '#/components/headers/Cache-Control',
    streamsEvents: 'text/event-stream' in (operation.responses[success]?.content ?? {}),
    bodyRequired: operation.requestBody?.required ?? false,
    bodyLimit: operation['x-body-limit'] ?? null,
    isOfStrangers: operation['x-rate-limit'] === 'strangers',
    rendersInTurns: operation['x-turns'] === 'rendering',
    quotas: operation['x-quotas'] ?? [],
    countedList: operation['x-counts']?.slice('body.'.length) ?? null,
    auditEvents: operation['x-audit-events'] ?? [],
  }
}
