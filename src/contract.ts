import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { load } from 'js-yaml'
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
    : T extends { content: object }
      ? Attachment
      : undefined
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer T }
  ? Json<T>
  : operations[Id] extends { requestBody?: infer T }
    ? Json<NonNullable<T>> | undefined
    : unknown
/** What has other media types beside JSON is a file in each of them. */
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

/** Text in pieces, each made when the one before was taken. */
export type Pieces = AsyncIterable<string | Buffer>

/** JSON that is text already, typed as what it contains. Sent as it is. */
export class JsonText<T> {
  declare readonly [content]: T
  constructor(readonly text: string | Pieces) {}
}

/** A file that is sent as it comes. */
export class Attachment {
  constructor(
    readonly type: string,
    readonly name: string,
    readonly content: Pieces,
  ) {}
}

/** Server-sent events as they come. `end` is called as soon as nobody takes them any more. */
export class EventStream {
  constructor(
    readonly events: Pieces,
    readonly end: () => void,
  ) {}
}

/** That the caller has the present answer already. */
export class NotModified {}

/** Answers one operation with what the contract promises, or throws one of its errors. */
export type Handler<Id extends OperationId> = (
  request: OperationRequest<Id>,
  reply: FastifyReply,
) => Promise<Answer<SuccessBody<Id>> | UnchangedAnswer<Id>>

type UnchangedAnswer<Id extends OperationId> = 304 extends keyof Responses<Id> ? NotModified : never

/** The handler of every operation. */
export type Operations = { readonly [Id in OperationId]: Handler<Id> }

type Answer<Body> = Body extends Attachment | EventStream
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
  /** Whether somebody who has yet to change a temporary password may call it. */
  allowsTemporaryPassword: boolean
  successStatus: number
  /** Whether its answer holds a secret, which nobody may keep. */
  answersSecret: boolean
  /** Whether its answer goes on for as long as the caller takes it. */
  streamsEvents: boolean
  bodyRequired: boolean
  /** How many bytes its body may have where that is not what is configured; else null. */
  bodyLimit: number | null
  /** The limits of the organization beyond which it answers 409 `quota_exceeded`. */
  quotas: string[]
  /** What it records. */
  auditEvents: { category: string; event_type: string }[]
}

type JsonObject = Record<string, unknown>
interface OperationObject {
  operationId: OperationId
  tags: [string]
  security: { bearerAuth?: Role[]; apiKeyAuth?: Role[] }[]
  'x-allows-temporary-password'?: boolean
  'x-audit-events'?: Operation['auditEvents']
  'x-body-limit'?: number
  'x-quotas'?: string[]
  requestBody?: { required?: boolean }
  responses: Record<string, { headers?: Record<string, { $ref?: string }>; content?: object }>
}
export interface Contract {
  document: JsonObject
  text: string
  /** The service's own version as well: they are released together. */
  version: string
  operations: Operation[]
  /** What the events that the service records mean, by category and type. */
  auditEvents: Record<string, { description: string; event_types: Record<string, string> }>
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const

let contract: Contract | undefined

/** The contract, read from openapi.yaml once per process. */
export function loadContract(): Contract {
  contract ??= readContract(fileURLToPath(import.meta.resolve('#openapi.yaml')))
  return contract
}

function readContract(file: string): Contract {
  const text = readFileSync(file, 'utf8')
  const document = load(text) as JsonObject & {
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
  return { document, text, version: info.version, operations, auditEvents }
}

function describeOperation(path: string, method: string, operation: OperationObject): Operation {
  const statuses = Object.keys(operation.responses)
  const success = statuses.find((status) => status.startsWith('2')) ?? ''
  const roles = operation.security.find((scheme) => scheme.bearerAuth)?.bearerAuth ?? null
  const apiKeyRoles = operation.security.flatMap((scheme) => scheme.apiKeyAuth ?? [])
  if (!roles && apiKeyRoles.length > 0) {
    throw new Error(`${operation.operationId} asks for an API key, and nobody with a token`)
  }
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0],
    roles,
    apiKeyRoles,
    allowsTemporaryPassword: operation['x-allows-temporary-password'] ?? false,
    successStatus: Number(success),
    answersSecret:
      operation.responses[success]?.headers?.['Cache-Control']?.$ref ===
      '#/components/headers/Cache-Control',
    streamsEvents: 'text/event-stream' in (operation.responses[success]?.content ?? {}),
    bodyRequired: operation.requestBody?.required ?? false,
    bodyLimit: operation['x-body-limit'] ?? null,
    quotas: operation['x-quotas'] ?? [],
    auditEvents: operation['x-audit-events'] ?? [],
  }
}
