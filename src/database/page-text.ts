/** A page that is read in pieces, so that long rows do not fill the memory. */
export class PageText {
  readonly #pieces: string[] = []
  #length = 0
  count = 0

  /** The page is full when it has so many characters, even where it has fewer rows than wanted. */
  constructor(readonly longest: number) {}

  get isFull(): boolean {
    return this.#length >= this.longest
  }

  /** Whether so many rows like those before make a piece that is not too long. */
  isOfShortRows(rows: number): boolean {
    return this.count > 0 && (this.#length / this.count) * rows <= this.longest
  }

  /**
   * Adds so many rows of a piece, or those up to the one that fills the page. Returns the last of
   * them, or null when no other row comes after it.
   */
  add(rows: { json: string }[], most: number): string | null {
    const before = this.count
    for (const { json } of rows.slice(0, most)) {
      if (this.isFull) break
      this.#pieces.push(json)
      this.#length += json.length
      this.count++
    }
    return rows.length > this.count - before ? (this.#pieces.at(-1) ?? null) : null
  }

  /** All rows as a JSON list. */
  get text(): string {
    return `[${this.#pieces.join()}]`
  }
}
