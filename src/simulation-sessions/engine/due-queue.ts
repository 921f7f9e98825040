import { LRUCache } from 'lru-cache'
import { SlowKeys } from '../../turns/slow-keys.js'
import type { SessionKey } from '../queries.js'

/** How many sessions may be in progress at the same time. */
export interface OrganizationLimits {
  /** For one organization. */
  maxPerOrganization: number
  /** For all slow organizations together. */
  maxSlow: number
}

/** An organization is slow when one of its sessions takes longer than this. */
const slowMs = 500

/** A queue of due sessions. Organizations take turns, however many sessions each has. */
export class DueQueue {
  /** By organization. The first organization is next. After its turn it moves to the end. */
  #waiting = new Map<string, SessionKey[]>()
  /** By session id. Each function records that the session is done. */
  readonly #inProgress = new Map<string, () => void>()
  /** How many sessions of each organization are in progress. */
  readonly #taken = new Map<string, number>()
  /** The number of the last turn of each organization. An evicted organization comes next. */
  readonly #lastTurn = new LRUCache<string, number>({ max: 10_000 })
  #turns = 0
  readonly #maxPerOrganization: number
  readonly #slow: SlowKeys

  constructor({ maxPerOrganization, maxSlow }: OrganizationLimits) {
    this.#maxPerOrganization = maxPerOrganization
    this.#slow = new SlowKeys({ ms: slowMs, capacity: maxSlow })
  }

  /** Replaces the waiting sessions, except those in progress. Organizations keep their order. */
  replace(due: readonly SessionKey[]): void {
    // A random order, so that two processes seldom claim the same session.
    const shuffled = due.map((key) => ({ key, at: Math.random() })).sort((a, b) => a.at - b.at)
    this.#waiting = new Map()
    for (const { key } of shuffled) if (!this.#inProgress.has(key._id)) this.#add(key)
    const lastTurn = (organization_id: string) => this.#lastTurn.peek(organization_id) ?? 0
    this.#waiting = new Map([...this.#waiting].sort(([a], [b]) => lastTurn(a) - lastTurn(b)))
  }

  /** Returns the next session that the limits allow. */
  take(): SessionKey | undefined {
    for (const [organization_id, keys] of this.#waiting) {
      const taken = this.#taken.get(organization_id) ?? 0
      if (taken >= this.#maxPerOrganization || !this.#slow.mayBegin(organization_id)) continue
      const key = keys.pop()
      this.#waiting.delete(organization_id)
      if (keys.length > 0) this.#waiting.set(organization_id, keys)
      if (!key) continue
      this.#inProgress.set(key._id, this.#slow.begin(organization_id))
      this.#taken.set(organization_id, taken + 1)
      this.#lastTurn.set(organization_id, ++this.#turns)
      return key
    }
    return undefined
  }

  /** Ends the processing of a session, which waits again if more is due in it. */
  release(key: SessionKey, isMoreDue: boolean): void {
    this.#inProgress.get(key._id)?.()
    this.#inProgress.delete(key._id)
    const left = (this.#taken.get(key.organization_id) ?? 0) - 1
    if (left > 0) this.#taken.set(key.organization_id, left)
    else this.#taken.delete(key.organization_id)
    if (isMoreDue) this.#add(key)
  }

  #add(key: SessionKey): void {
    const keys = this.#waiting.get(key.organization_id)
    if (keys) keys.push(key)
    else this.#waiting.set(key.organization_id, [key])
  }
}
