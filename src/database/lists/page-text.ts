/** The text of a page that is read in batches, so that long rows do not fill the memory. */
export class PageText {
  /** The JSON text of each row. */
  readonly texts: string[] = []
  #bytes = 0
  count = 0

  /** `longest`: the number of bytes at which the page is full. */
  constructor(readonly longest: number) {}

  get isFull(): boolean {
    return this.#bytes >= this.longest
  }

  /**
   * Adds at most `batchLimit` rows, and stops when the page is full. Returns the last row that was added,
   * or null when no row comes after it.
   */
  add(rows: { json: string }[], batchLimit: number): string | null {
    const before = this.count
    for (const { json } of rows.slice(0, batchLimit)) {
      if (this.isFull) break
      this.texts.push(json)
      this.#bytes += Buffer.byteLength(json)
      this.count++
    }
    return rows.length > this.count - before ? (this.texts.at(-1) ?? null) : null
  }

  /** All rows as a JSON list. */
  get text(): string {
    return `[${this.texts.join()}]`
  }
}
