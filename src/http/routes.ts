import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
import fp from 'fastify-plugin'
import {
  Attachment,
  type Contract,
  EventStream,
  JsonText,
  NotModified,
  type Operation,
  type OperationId,
  type Operations,
  Picture,
} from '../contract.js'
import { methodNotAllowed } from '../errors.js'
import { sendAttachment, sendEvents, streamOf } from './streams.js'
import { enforceable } from './validation/enforcement.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
}

/** Makes a route for each operation of the contract. Throws if an operation has no handler. */
async function bindOperations(
  app: FastifyInstance,
  { contract, operations }: { contract: Contract; operations: Operations },
): Promise<void> {
  const byId = new Map<string, Operation>(contract.operations.map((o) => [o.operationId, o]))
  app.addHook('onRoute', (route) => {
    if (route.config?.operation) keepSuccessSchema(route, route.config.operation)
  })
  await app.register(openapiGlue, {
    specification: enforceable(contract.document),
    operationResolver: (operationId) => {
      const operation = byId.get(operationId)
      if (!operation) throw new Error(`The contract has no operation ${operationId}`)
      const bodyLimit = bodyLimitOf(operation, app.initialConfig.bodyLimit ?? 0)
      return { ...routeOptions(operation, operations), bodyLimit } as RouteOptions
    },
  })
  answerOtherMethods(app, contract)
}

export const routes = fp(bindOperations, {
  name: 'routes',
  dependencies: ['logging', 'protocol', 'compression', 'validation', 'security', 'enforcement'],
})

/**
 * The contract's limit is the maximum for operations without a token, and the minimum for operations
 * that take a file.
 */
function bodyLimitOf({ roles, bodyLimit }: Operation, configured: number): number {
  if (bodyLimit === null) return configured
  return roles ? Math.max(configured, bodyLimit) : Math.min(configured, bodyLimit)
}

/** Operations that render many texts. They take turns: two of an organization at the same time. */
const renders = new Set<OperationId>([
  'applyQuickSetup',
  'previewQuickSetup',
  'rollbackQuickSetup',
  'previewChannelTemplate',
  'getSessionReadiness',
  'startSession',
  'retrySession',
])

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

function routeOptions(operation: Operation, handlers: Operations) {
  const { operationId, successStatus, answersSecret, streamsEvents } = operation
  // The cast is safe: each handler gets the requests that its own schema has validated.
  const handle = handlers[operationId] as RouteHandler | undefined
  if (!handle) throw new Error(`Operation ${operationId} has no handler`)
  const handler: RouteHandler = async (request, reply) => {
    reply.code(successStatus)
    const answer = renders.has(operationId)
      ? await request.server.renderings.run(request.turnKey, () => handle(request, reply))
      : await handle(request, reply)
    if (answersSecret) reply.header('cache-control', 'no-store')
    if (answer instanceof NotModified) return reply.code(304).send()
    if (answer === undefined) return reply.send()
    if (answer instanceof Attachment) return sendAttachment(reply, answer)
    if (answer instanceof EventStream) return sendEvents(reply, answer)
    if (answer instanceof Picture) return reply.type(answer.type).send(answer.text)
    if (!(answer instanceof JsonText)) return answer
    reply.type('application/json; charset=utf-8')
    const { text } = answer
    return typeof text === 'string' ? Buffer.from(text) : streamOf(text)
  }
  // The length of a compressed answer reveals what a secret and a text of the caller have in common
  // (BREACH). Compressed events would be held back until the next ones.
  const compress = answersSecret || streamsEvents ? { compress: false as const } : {}
  return { config: { operation }, handler, exposeHeadRoute: hasHead(operation), ...compress }
}

/**
 * A GET operation also has HEAD, unless it records an audit event, because a HEAD does not do what the
 * event states. Streams have no HEAD either: Fastify would open the stream and read nothing.
 */
const hasHead = ({ method, auditEvents, streamsEvents }: Operation) =>
  method === 'GET' && auditEvents.length === 0 && !streamsEvents

/** Drops the schemas of errors: they are sent as they are, and serializers would cost memory. */
function keepSuccessSchema({ schema }: RouteOptions, { successStatus }: Operation): void {
  if (!schema?.response) return
  const success: unknown = Reflect.get(schema.response, String(successStatus))
  schema.response = success === undefined ? undefined : { [successStatus]: success }
}

/**
 * Answers 405 with `Allow` to methods that a path of the contract does not have, for each method that
 * Node can parse. Fastify would answer some with a 404, and QUERY without a Content-Type with an error.
 */
function answerOtherMethods(app: FastifyInstance, { operations }: Contract): void {
  const known = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])
  const others = METHODS.filter((method) => !known.has(method) && method !== 'CONNECT')
  for (const method of others) app.addHttpMethod(method, { overrideExisting: true })
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const here = operations.filter((one) => one.path === path)
    const allowed = here.flatMap((one) => (hasHead(one) ? ['GET', 'HEAD'] : one.method))
    const refuse = async () => {
      throw methodNotAllowed(allowed.join(', '))
    }
    app.route({
      // Fastify makes the HEAD routes itself.
      method: [...known, ...others].filter((one) => !allowed.includes(one)),
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      onRequest: refuse,
      handler: refuse,
    })
  }
}
