import { trainerMessageFrame } from './frames.js'
import { maxRecentBytes, maxRecentMessages } from './queries.js'
import type { PrivateWord, WordRow } from './word-queries.js'

interface KeptWord {
  seq: number
  user_id: string
  frame: Buffer
}

/** The latest private words of an open session. Each reader gets only their own; trainers get all. */
export class PrivateWords {
  /** The number of the last known word. */
  #seq: number
  /** All words after this one are kept. */
  #keptAfter: number
  #kept: KeptWord[] = []

  /** `seq` is the last word before the session was opened. */
  constructor(seq: number) {
    this.#seq = seq
    this.#keptAfter = seq
  }

  get seq(): number {
    return this.#seq
  }

  /** Drops the words: every reader has them. */
  clear(): void {
    this.#kept = []
    this.#keptAfter = this.#seq
  }

  /** Merges the latest words, and drops the oldest beyond the limits. */
  merge(rows: readonly WordRow[]): void {
    const last = rows[0]?.last ?? 0
    // A query that began earlier may end later.
    if (last <= this.#seq) return
    const fresh = rows.flatMap((row) => (row.seq !== null && row.seq > this.#seq ? keep(row) : []))
    const first = fresh[0]?.seq ?? last + 1
    if (first !== this.#seq + 1) {
      this.#kept = []
      this.#keptAfter = first - 1
    }
    this.#kept.push(...fresh)
    this.#seq = last
    this.#dropOldest()
  }

  /**
   * Returns the events of the words after `seq`: those of one user, or all if `user_id` is null. Returns null
   * if some words after `seq` are not kept.
   */
  after(seq: number, user_id: string | null): Buffer | null {
    if (seq < this.#keptAfter) return null
    const isOwn = (one: KeptWord) => user_id === null || one.user_id === user_id
    const own = this.#kept.filter((one) => one.seq > seq && isOwn(one))
    return Buffer.concat(own.map(({ frame }) => frame))
  }

  #dropOldest(): void {
    const kept = this.#kept
    let bytes = kept.reduce((sum, { frame }) => sum + frame.length, 0)
    while (kept.length > maxRecentMessages || (bytes > maxRecentBytes && kept.length > 1)) {
      const oldest = kept.shift()
      bytes -= oldest?.frame.length ?? 0
      this.#keptAfter = oldest?.seq ?? this.#keptAfter
    }
  }
}

function keep({ user_id, ...word }: PrivateWord): KeptWord {
  return { seq: word.seq, user_id, frame: Buffer.from(trainerMessageFrame(word)) }
}
