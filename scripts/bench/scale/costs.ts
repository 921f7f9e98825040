import type { Figures } from '../turn.js'
import type { OperationName } from './tasks.js'

/** The microseconds of a core that one request takes. */
export interface Cost {
  service: number
  /** Of the server that the service asks: the only one, or the coordinator of a cluster. */
  server: number
  /** Of the servers that this one asks. */
  workers: number
}

export type Costs = Partial<Record<OperationName, Cost>>

/** Null where the processes cannot be watched, because they are on another machine. */
export function costOf({ serviceUs, serversUs }: Figures): Cost | null {
  const [server, ...workers] = serversUs
  if (serviceUs === null || server === null || server === undefined) return null
  if (workers.includes(null)) return null
  return {
    service: serviceUs,
    server,
    workers: workers.reduce((sum: number, one) => sum + (one ?? 0), 0),
  }
}
