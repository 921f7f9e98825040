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
} from '../contract.js'
import { methodNotAllowed } from '../errors.js'
import { sendAttachment, sendEvents, streamOf } from './streams.js'
import { enforceable } from './validation/enforcement.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
}

/** Gives every operation of the contract its route. Throws when one has no handler. */
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
  dependencies: ['logging', 'protocol', 'validation', 'security', 'enforcement'],
})

/** What anyone may call takes at most what the contract says, a file at least that. */
function bodyLimitOf({ roles, bodyLimit }: Operation, configured: number): number {
  if (bodyLimit === null) return configured
  return roles ? Math.max(configured, bodyLimit) : Math.min(configured, bodyLimit)
}

/** Operations that render many texts at once. Each organization has two of them at a time at most. */
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
  const { operationId, successStatus, answersSecret } = operation
  // Each handler is given the requests that its own operation's schema has validated.
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
    if (!(answer instanceof JsonText)) return answer
    reply.type('application/json; charset=utf-8')
    const { text } = answer
    return typeof text === 'string' ? Buffer.from(text) : streamOf(text)
  }
  return { config: { operation }, handler, exposeHeadRoute: bringsHead(operation) }
}

/**
 * GET brings HEAD with it, but for what leaves a trace: whoever looks ahead has not done it. Nor for
 * what goes on and on: Fastify would open it, and take nothing.
 */
const bringsHead = ({ method, auditEvents, streamsEvents }: Operation) =>
  method === 'GET' && auditEvents.length === 0 && !streamsEvents

/** Errors are written as they are: a serializer for each of them would only cost memory. */
function keepSuccessSchema({ schema }: RouteOptions, { successStatus }: Operation): void {
  if (!schema?.response) return
  const success: unknown = Reflect.get(schema.response, String(successStatus))
  schema.response = success === undefined ? undefined : { [successStatus]: success }
}

/**
 * 405 with Allow for a path of the contract and a method it does not have there, whatever Node can
 * parse: Fastify would answer some with 404, and QUERY without a Content-Type with an error.
 */
function answerOtherMethods(app: FastifyInstance, { operations }: Contract): void {
  const known = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])
  const others = METHODS.filter((method) => !known.has(method) && method !== 'CONNECT')
  for (const method of others) app.addHttpMethod(method, { overrideExisting: true })
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const here = operations.filter((one) => one.path === path)
    const allowed = here.flatMap((one) => (bringsHead(one) ? ['GET', 'HEAD'] : one.method))
    const refuse = async () => {
      throw methodNotAllowed(allowed.join(', '))
    }
    app.route({
      // Where there is GET, Fastify has bound HEAD as well.
      method: [...known, ...others].filter((one) => !allowed.includes(one)),
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      onRequest: refuse,
      handler: refuse,
    })
  }
}
