import type { Contract, Operation } from '../../contract.js'
import {
  type AnswerObject,
  type Components,
  code,
  introductionFor,
  list,
  nameIn,
  sharedAnswers,
  sharedHeaders,
} from './readers-introduction.js'

interface OperationObject {
  description: string
  parameters?: unknown[]
  responses: Record<string, AnswerObject>
}
/** The page shows these keywords in the description of an operation. */
const shownInDescription = ['x-audit-events', 'x-quotas', 'x-allows-temporary-password']

/**
 * Returns the contract as the page shows it. Answers that all operations share move to the introduction,
 * whose sections are folded. The description of each operation also has its roles, events and limits,
 * which the page cannot show elsewhere. Each operation has the parameters of its path, because a page
 * that opens at an operation finds only those. `servers` is removed: there is only this one.
 */
export function documentForReaders({ document, operations }: Contract) {
  const { servers, ...shown } = structuredClone(document)
  const paths = shown.paths as Record<string, Record<string, unknown>>
  const components = shown.components as Components
  const info = shown.info as { description: string }
  const linked = linkerOf(operations)
  for (const operation of operations) {
    const { parameters = [], ...item } = paths[operation.path] as { parameters?: unknown[] }
    const object = Reflect.get(item, operation.method.toLowerCase()) as OperationObject
    const shared = removeSharedAnswers(object)
    object.description = `${linked(object.description)}\n\n${list(facts(operation, shared))}`
    object.parameters = [...parameters, ...(object.parameters ?? [])]
    for (const name of shownInDescription) Reflect.deleteProperty(object, name)
  }
  for (const item of Object.values(paths)) delete item.parameters
  info.description = introductionFor(linked(info.description), components)
  for (const answer of Object.values(components.responses)) removeSharedHeaders(answer)
  const externalDocs = { url: '/openapi.yaml', description: 'The contract as a file' }
  return { ...shown, externalDocs }
}

/** Returns a function that links each operation that a text names. */
function linkerOf(operations: Contract['operations']) {
  const tags = new Map<string, string>(operations.map(({ operationId, tag }) => [operationId, tag]))
  return (text: string) =>
    text.replace(/`(\w+)`/g, (name, id) =>
      tags.has(id) ? `[${name}](#/${tags.get(id)}/${id})` : name,
    )
}

/** Returns the statuses of the answers that it removes. */
function removeSharedAnswers({ responses }: OperationObject): string[] {
  const isShared = ({ $ref = '' }: AnswerObject) => sharedAnswers.has(nameIn($ref))
  const statuses = Object.keys(responses).filter((status) => isShared(responses[status] ?? {}))
  for (const status of statuses) delete responses[status]
  for (const answer of Object.values(responses)) removeSharedHeaders(answer)
  return statuses
}

function removeSharedHeaders({ headers = {} }: AnswerObject): void {
  for (const name of sharedHeaders) delete headers[name]
}

function facts(operation: Operation, shared: string[]): string[] {
  const { roles, apiKeyRoles, allowsTemporaryPassword, quotas, auditEvents } = operation
  const suffix = allowsTemporaryPassword ? ', also with a temporary password' : ''
  const events = auditEvents.map(({ category, event_type }) => `${category}/${event_type}`)
  return [
    `**Roles:** ${roles === null ? 'anyone, without a token' : `${code(roles)}${suffix}`}`,
    fact('With an API key', apiKeyRoles),
    fact('Audit events', events),
    fact('Limits', quotas),
    fact('Also answers', shared),
  ].filter(Boolean)
}

const fact = (title: string, words: string[]) =>
  words.length > 0 ? `**${title}:** ${code(words)}` : ''
