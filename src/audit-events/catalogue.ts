import { loadContract, type Schema } from '../contract.js'

type Catalogue = Schema<'AuditCatalogue'>

let catalogue: Catalogue | undefined

/** The events that the service records, from `x-audit-events` in the contract. */
export function loadAuditCatalogue(): Catalogue {
  catalogue ??= readCatalogue()
  return catalogue
}

function readCatalogue(): Catalogue {
  const { auditEvents, operations } = loadContract()
  const categories = Object.entries(auditEvents).map(([category, { description, event_types }]) => {
    const types = Object.entries(event_types).map(([event_type, description]) => {
      const recording = operations.filter(({ auditEvents }) =>
        auditEvents.some((one) => one.category === category && one.event_type === event_type),
      )
      return { event_type, description, operations: recording.map((one) => one.operationId) }
    })
    return { category, description, event_types: types }
  })
  return { categories }
}

/** Whether the service itself writes events of a category. */
export function isReserved(category: string): boolean {
  return loadAuditCatalogue().categories.some(
    (one) => one.category === category && one.event_types.length > 0,
  )
}
