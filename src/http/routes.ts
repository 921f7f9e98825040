import fastJsonStringify, { type Schema as JsonSchema } from 'fast-json-stringify'
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
  type Operations,
  Picture,
} from '../contract.js'
import { methodNotAllowed, unavailable } from '../errors.js'
import { findMistaken, hasHead } from './arrival/methods.js'
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
  serializeLazily(app)
  await app.register(openapiGlue, {
    specification: enforceable(contract.document),
    operationResolver: (operationId) => {
      const operation = byId.get(operationId)
      if (!operation) throw new Error(`The contract has no operation ${operationId}`)
      const bodyLimit = bodyLimitOf(operation, app.initialConfig.bodyLimit ?? 0)
      return { ...routeOptions(operation, operations), bodyLimit } as RouteOptions
    },
  })
  for (const { allow, ...route } of findMistaken(contract.operations)) {
    const refuse = async () => {
      throw methodNotAllowed(allow)
    }
    app.route({ ...route, exposeHeadRoute: false, onRequest: refuse, handler: refuse })
  }
}

export const routes = fp(bindOperations, {
  name: 'routes',
  dependencies: ['logging', 'protocol', 'compression', 'validation', 'security', 'enforcement'],
})

/** The contract's limit is the minimum for operations that take a file, and the maximum for all others. */
function bodyLimitOf({ bodyLimit }: Operation, configured: number): number {
  if (bodyLimit === null) return configured
  return bodyLimit > 1_048_576 ? Math.max(configured, bodyLimit) : Math.min(configured, bodyLimit)
}

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

function routeOptions(operation: Operation, handlers: Operations) {
  const { operationId, successStatus, answersSecret, rendersInTurns, streamsEvents } = operation
  // The cast is safe: each handler gets the requests that its own schema has validated.
  const handle = handlers[operationId] as RouteHandler | undefined
  if (!handle) throw new Error(`Operation ${operationId} has no handler`)
  const handler: RouteHandler = async (request, reply) => {
    reply.code(successStatus)
    // The caller has closed the connection.
    if (request.socket.destroyed) throw unavailable()
    const work = rendersInTurns
      ? request.server.renderings.run(request.turnKey, () => handle(request, reply))
      : handle(request, reply)
    request.work = work
    const answer = await work
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

/** Compiles a serializer when its first answer is sent. Most answers are JSON text already. */
function serializeLazily(app: FastifyInstance): void {
  app.setSerializerCompiler<JsonSchema>(({ schema }) => {
    let serialize: ReturnType<typeof fastJsonStringify> | undefined
    return (answer) => {
      serialize ??= fastJsonStringify(schema)
      return serialize(answer)
    }
  })
}
