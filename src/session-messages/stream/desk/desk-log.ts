/** How many bytes the log of an organization keeps at most. One long event may have more. */
const maxLogBytes = 131_072

interface LogEntry {
  /** The number of the change. Numbers have no gaps. */
  number: number
  bytes: Buffer
}

/** The latest events of an organization. All its streams get the same bytes. */
export class DeskLog {
  #entries: LogEntry[] = []
  #bytes = 0
  /** The number of the last change that was dropped. */
  #dropped = 0

  add(number: number, bytes: Buffer): void {
    this.#entries.push({ number, bytes })
    this.#bytes += bytes.length
    let dropped = 0
    while (this.#bytes > maxLogBytes && dropped < this.#entries.length - 1) {
      this.#bytes -= this.#entries[dropped]?.bytes.length ?? 0
      dropped++
    }
    if (dropped === 0) return
    this.#dropped = this.#entries[dropped - 1]?.number ?? this.#dropped
    this.#entries = this.#entries.slice(dropped)
  }

  /** Whether it still has all changes after this one. */
  reachesBackTo(number: number): boolean {
    return number >= this.#dropped
  }

  /** Returns the first event after a change. */
  after(number: number): LogEntry | undefined {
    const [first] = this.#entries
    return first && this.#entries[Math.max(0, number + 1 - first.number)]
  }
}
