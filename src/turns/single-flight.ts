/** Runs work once for all calls with the same key at the same time: they share its result. */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>()

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const known = this.#running.get(key)
    if (known) return known
    const running = work().finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  isRunning(key: string): boolean {
    return this.#running.has(key)
  }

  /** Waits for all work that is running now. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }
}
