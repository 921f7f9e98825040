import type { Account, Target } from './arena.js'
import { flood, type Shot, type Statuses, type Turn } from './flood.js'

/** What one organization does until the signal comes. Made by what prepares it. */
export type Storming = (signal: AbortSignal) => Promise<Statuses>

export interface Storm {
  name: string
  /** Makes what the storm needs, over HTTP. */
  prepare(target: Target): Promise<Storming>
}

/** How many connections an organization storms with. */
const stormConnections = 50

/** A storm whose connections all do the same without pause. */
export function stormOf(
  name: string,
  prepare: (target: Target) => Promise<Turn> | Turn,
  connections = stormConnections,
): Storm {
  return {
    name,
    prepare: async (target) => {
      const turn = await prepare(target)
      return (signal) => flood(target.url, turn, { connections, signal })
    },
  }
}

/** A storm of one request over and over. */
export const repeating = (name: string, shotOf: (account: Account) => Shot) =>
  stormOf(name, ({ stormer }) => {
    const shot = shotOf(stormer)
    return (ask) => ask(shot)
  })
