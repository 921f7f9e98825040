export interface Waiter<Turn> {
  begin(turn: Turn): void
  giveUp(): void
}

/** Waiting requests by key. Keys take turns; of each key the oldest request comes first. */
export class Waiters<Turn> {
  /** Keys in the order of their next turns. */
  readonly #byKey = new Map<string, Set<Waiter<Turn>>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(key: string, waiter: Waiter<Turn>): void {
    const waiters = this.#byKey.get(key)
    if (waiters) waiters.add(waiter)
    else this.#byKey.set(key, new Set([waiter]))
    this.#size++
  }

  remove(key: string, waiter: Waiter<Turn>): void {
    const waiters = this.#byKey.get(key)
    if (!waiters?.delete(waiter)) return
    this.#size--
    if (waiters.size === 0) this.#byKey.delete(key)
  }

  /** The waiting keys in the order of their next turns. */
  keys(): Iterable<string> {
    return this.#byKey.keys()
  }

  /** Removes and returns the oldest waiter of a key. The key moves behind all others. */
  shift(key: string): Waiter<Turn> | undefined {
    const waiters = this.#byKey.get(key) ?? new Set()
    const [oldest] = waiters
    if (!oldest) return undefined
    this.#byKey.delete(key)
    this.#byKey.set(key, waiters)
    this.remove(key, oldest)
    return oldest
  }

  /** How many requests of a key wait. */
  of(key: string): number {
    return this.#byKey.get(key)?.size ?? 0
  }

  /**
   * Returns the keys of which one should lose a waiter to a new request: those with the most waiters, and
   * among these those that have used the most time. Empty if that is the key of the new request alone.
   */
  last(newcomer: string, usedBy: (key: string) => number): string[] {
    let last: string[] = []
    let most = this.of(newcomer) + 1
    let longest = usedBy(newcomer)
    for (const [key, { size }] of this.#byKey) {
      const used = usedBy(key)
      if (key === newcomer || size < most || (size === most && used < longest)) continue
      if (size > most || used > longest) last = []
      last.push(key)
      most = size
      longest = used
    }
    return last
  }

  oldest(key: string): Waiter<Turn> | undefined {
    const [oldest] = this.#byKey.get(key) ?? []
    return oldest
  }
}
