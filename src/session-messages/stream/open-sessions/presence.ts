import type { PlacePresence } from './presence-queries.js'

/** Who is online in an open session. It is known only while a trainer follows the session. */
export class Presence {
  /** The number of the last change. */
  #last = 0
  #fingerprint = ''
  #places = new Map<string, PlacePresence & { changed: number }>()

  /** The number of the last change. */
  get last(): number {
    return this.#last
  }

  get fingerprint(): string {
    return this.#fingerprint
  }

  /** Merges the presence of all participants as of one moment. */
  merge(fingerprint: string, places: PlacePresence[]): void {
    this.#fingerprint = fingerprint
    const changed = this.#last + 1
    const before = this.#places
    this.#places = new Map(
      places.map((place) => {
        const known = before.get(place.assignment_id)
        return [place.assignment_id, known?.online === place.online ? known : { ...place, changed }]
      }),
    )
    if ([...this.#places.values()].some((place) => place.changed === changed)) this.#last = changed
  }

  /** Returns the participants whose presence changed after a change; for 0 all of them. */
  after(number: number): PlacePresence[] {
    if (number >= this.#last) return []
    return [...this.#places.values()].filter(({ changed }) => changed > number)
  }
}
