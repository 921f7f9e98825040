import { LRUCache } from 'lru-cache'
import { SlowKeys } from '../turns/slow-keys.js'
import type { SessionKey } from './queries.js'

/** How those under way are shared out. */
export interface Shares {
  /** How many sessions of one organization are under way at most, however long they take. */
  mostOfOne: number
  /** How many are at most of organizations whose sessions take long, of all of them together. */
  mostOfSlow: number
}

/** A session that takes longer makes its organization slow. */
const slowMs = 500

/** Sessions in which something is due. Organizations take turns, however many sessions each has. */
export class DueSessions {
  /** By organization. The first organization is next; one that had its turn is the last. */
  #waiting = new Map<string, SessionKey[]>()
  /** By session, with what notes its end. */
  readonly #underWay = new Map<string, () => void>()
  readonly #taken = new Map<string, number>()
  /** The number of the last turn of each organization. One that is forgotten comes next. */
  readonly #served = new LRUCache<string, number>({ max: 10_000 })
  #turns = 0
  readonly #mostOfOne: number
  readonly #slow: SlowKeys

  constructor({ mostOfOne, mostOfSlow }: Shares) {
    this.#mostOfOne = mostOfOne
    this.#slow = new SlowKeys({ ms: slowMs, most: mostOfSlow })
  }

  /** Replaces those that wait. Those under way wait no more. Organizations keep their order. */
  replace(due: readonly SessionKey[]): void {
    // In another order in each process, so that two seldom want the same session.
    const shuffled = due.map((key) => ({ key, at: Math.random() })).sort((a, b) => a.at - b.at)
    this.#waiting = new Map()
    for (const { key } of shuffled) if (!this.#underWay.has(key._id)) this.#add(key)
    const served = (organization_id: string) => this.#served.peek(organization_id) ?? 0
    this.#waiting = new Map([...this.#waiting].sort(([a], [b]) => served(a) - served(b)))
  }

  take(): SessionKey | undefined {
    for (const [organization_id, keys] of this.#waiting) {
      const taken = this.#taken.get(organization_id) ?? 0
      if (taken >= this.#mostOfOne || !this.#slow.mayBegin(organization_id)) continue
      const key = keys.pop()
      this.#waiting.delete(organization_id)
      if (keys.length > 0) this.#waiting.set(organization_id, keys)
      if (!key) continue
      this.#underWay.set(key._id, this.#slow.begin(organization_id))
      this.#taken.set(organization_id, taken + 1)
      this.#served.set(organization_id, ++this.#turns)
      return key
    }
    return undefined
  }

  /** Takes a session back, which waits again for the turn of its organization if it `isStillDue`. */
  putBack(key: SessionKey, isStillDue: boolean): void {
    this.#underWay.get(key._id)?.()
    this.#underWay.delete(key._id)
    const left = (this.#taken.get(key.organization_id) ?? 0) - 1
    if (left > 0) this.#taken.set(key.organization_id, left)
    else this.#taken.delete(key.organization_id)
    if (isStillDue) this.#add(key)
  }

  #add(key: SessionKey): void {
    const keys = this.#waiting.get(key.organization_id)
    if (keys) keys.push(key)
    else this.#waiting.set(key.organization_id, [key])
  }
}
