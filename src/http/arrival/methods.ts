import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Operation } from '../../contract.js'

/** Longer than any path that Node accepts, so that an id of any length is simply unknown. */
export const routerOptions = { ignoreTrailingSlash: true, maxParamLength: 65_536 }

/**
 * A GET operation also has HEAD, unless it records an audit event, because a HEAD does not do what the
 * event states. Streams have no HEAD either: Fastify would open the stream and read nothing.
 */
export const hasHead = ({ method, auditEvents, streamsEvents }: Operation) =>
  method === 'GET' && auditEvents.length === 0 && !streamsEvents

const methodsOf = (operation: Operation) =>
  hasHead(operation) ? ['GET', 'HEAD'] : [operation.method]

/** Writes a path of the contract as the router does. */
const urlOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** Returns the methods of each path. */
function methodsByPath(operations: Operation[]): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const operation of operations) {
    const { path } = operation
    methods.set(path, [...(methods.get(path) ?? []), ...methodsOf(operation)])
  }
  return methods
}

/** Returns a function that finds the methods of a URL for `Allow`; null for an unknown one. */
export function allowedMethods(operations: Operation[]): (url: string) => string | null {
  const router = findMyWay(routerOptions)
  for (const [path, methods] of methodsByPath(operations)) {
    router.on('GET', urlOf(path), () => {}, methods.join(', '))
  }
  return (url) => router.find('GET', url)?.store ?? null
}

interface MistakenRoute {
  url: string
  method: string[]
  allow: string
}

/**
 * Finds the methods that a path does not have, but a path with a parameter that matches it: `bulk` is
 * not the id of an invitation.
 */
export function findMistaken(operations: Operation[]): MistakenRoute[] {
  const router = findMyWay(routerOptions)
  for (const operation of operations) {
    router.on(methodsOf(operation) as HTTPMethod[], urlOf(operation.path), () => {})
  }
  const methods = [...new Set(operations.flatMap(methodsOf))] as HTTPMethod[]
  return [...methodsByPath(operations)].flatMap(([path, allowed]) => {
    const mistaken = methods.filter((one) => !allowed.includes(one) && router.find(one, path))
    const route = { url: urlOf(path), method: mistaken, allow: allowed.join(', ') }
    return mistaken.length > 0 ? [route] : []
  })
}
