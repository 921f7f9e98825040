import type { Place, PlaceRow } from './team-queries.js'

/** How many deleted places are kept for streams that have not sent the deletion yet. */
const maxDeleted = 100

/** The team of an open session: its places, and which change of the team changed each of them. */
export class Team {
  /** The number of the last known change of the team. */
  #seq: number
  #isComplete = false
  readonly #places = new Map<string, Place>()
  #deleted: Place[] = []

  /** `seq` is the last change before the session was opened. */
  constructor(seq: number) {
    this.#seq = seq
  }

  get seq(): number {
    return this.#seq
  }

  /** Makes the next query read all places, even if none has changed. */
  requestSnapshot(): void {
    if (!this.#isComplete) this.#seq = -1
  }

  /** Merges a snapshot: all places of the session as of one moment. */
  merge(rows: readonly PlaceRow[]): void {
    const [first] = rows
    // A query that began earlier may end later.
    if (!first || first.seq < this.#seq) return
    const present = rows.flatMap((row) => (row._id === null ? [] : row))
    const ids = new Set(present.map(({ _id }) => _id))
    const deleted = [...this.#places.values()]
      .filter(({ _id }) => !ids.has(_id))
      .map((place) => ({ ...place, removed_at: first.now, team_seq: first.seq }))
    this.#deleted = [...this.#deleted, ...deleted].slice(-maxDeleted)
    this.#places.clear()
    for (const place of present) this.#places.set(place._id, place)
    this.#seq = first.seq
    this.#isComplete = true
  }

  /** Returns the places that changed after a change of the team; for -1 all that are not taken away. */
  after(seq: number): Place[] {
    if (!this.#isComplete || seq >= this.#seq) return []
    const all = [...this.#deleted, ...this.#places.values()]
    return all.filter(({ team_seq, removed_at }) => {
      return team_seq > seq && (seq >= 0 || removed_at === null)
    })
  }
}
