import { signal } from '@preact/signals'
import type { Value } from '../../../shared/forms/scale.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { readStored, store } from '../../../shared/stored.js'
import { me } from '../../me.js'

/** A rating that is being written: of the team, or of one place. */
interface Writing {
  criterion: string
  assignment_id: string | null
  value: Value | undefined
  comment: string
}

/** The ratings that are being written. They are kept in this tab until they are sent. */
export class RatingsDraft {
  /** Whether the service has all that was written. */
  readonly isSaved = signal(false)
  readonly #all = signal<readonly Writing[]>([])
  readonly #name: string

  constructor(id: string, { ratings }: Schema<'SessionRatings'>) {
    this.#name = `ratings ${id} ${me.value?.user._id}`
    const own = ratings.filter(({ rater_id }) => rater_id === me.value?.user._id)
    this.#all.value =
      readStored<Writing[]>(this.#name) ??
      own.map(({ criterion, assignment_id, value, comment }) => ({
        criterion,
        assignment_id,
        value,
        comment: comment ?? '',
      }))
  }

  of(criterion: string, assignment_id: string | null): Writing {
    const isIt = (one: Writing) =>
      one.criterion === criterion && one.assignment_id === assignment_id
    return this.#all.value.find(isIt) ?? { criterion, assignment_id, value: undefined, comment: '' }
  }

  write(rating: Writing): void {
    const { criterion, assignment_id } = rating
    const before = this.of(criterion, assignment_id)
    this.#all.value = [...this.#all.value.filter((one) => one !== before), rating]
    store(this.#name, this.#all.value)
    this.isSaved.value = false
  }

  /** Sends all ratings of the caller: the request replaces those before it. What is written meanwhile stays. */
  async send(send: (given: Schema<'NewRating'>[]) => Promise<unknown>): Promise<void> {
    const all = this.#all.value
    await send(
      all.flatMap(({ value, comment, ...of }) =>
        isGiven(value) ? { ...of, value, comment: comment || null } : [],
      ),
    )
    if (this.#all.value !== all) return
    store(this.#name, null)
    this.isSaved.value = true
  }
}

/** A cleared input gives no rating. */
export const isGiven = (value: Value | undefined): value is Value =>
  value !== undefined && value !== ''
