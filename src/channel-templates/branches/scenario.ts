import type { Condition, Decision } from '../prepared-metadata.js'
import { acknowledgedAsk } from './acknowledged-ask.js'
import type { BranchLine, SessionArm } from './lines.js'

/** A line that asks for a decision. */
export type Ask = BranchLine & { decision: Decision }

export const isAsk = (line: BranchLine): line is Ask => line.decision !== null
export const timeOf = ({ drill, offset }: BranchLine) => drill ?? offset

/** How many asks are looked at for one. */
const maxAsks = 20

/** How a decision ends. */
export interface Ending {
  option: string
  /** It lapsed: participants did not choose the option. */
  hasLapsed: boolean
}

/** The condition of a line on a decision that has ended. */
export const isAllowed = ({ options }: Condition, { option }: Ending) => options.includes(option)

/** Identifies an option among all decisions. */
const optionKey = (beat: string, option: string) => JSON.stringify([beat, option])

/** The decisions of a scenario, and what depends on them. */
export class Scenario {
  readonly #asks = new Map<string, Ask[]>()
  readonly #options = new Map<string, Set<string>>()
  readonly #first: Record<SessionArm, Map<string, Ask>> = {
    control: new Map(),
    intervention: new Map(),
  }
  /** The beats of messages that ask for an answer. */
  readonly #asking = new Set<string | null>()
  readonly #named = new Set<string>()
  /** The times of fallbacks, by what they are for. The first is the earliest. */
  readonly #fallbacks = new Map<string, number[]>()
  /** The keys of the decisions. */
  readonly beats: string[] = []

  /** `isWhole` is false if some lines of the scenario are missing here. */
  constructor(
    lines: BranchLine[],
    readonly isWhole = true,
  ) {
    // The sort is stable: lines of the same time keep their order.
    for (const ask of lines.filter(isAsk).sort((a, b) => timeOf(a) - timeOf(b))) this.#addAsk(ask)
    for (const line of lines) {
      if (line.deadline_minutes !== null) this.#asking.add(line.beat)
      for (const condition of [...line.only_if, ...line.unless]) this.#addNamed(condition)
      this.#addFallback(line)
    }
    for (const times of this.#fallbacks.values()) times.sort((a, b) => a - b)
  }

  #addAsk(ask: Ask): void {
    const { beat, options } = ask.decision
    const asks = this.#asks.get(beat) ?? []
    const known = this.#options.get(beat) ?? new Set()
    if (asks.length === 0) this.beats.push(beat)
    this.#asks.set(beat, asks)
    this.#options.set(beat, known)
    asks.push(ask)
    for (const { option } of options) known.add(option)
    for (const arm of ask.arms) {
      if (!this.#first[arm].has(beat)) this.#first[arm].set(beat, ask)
    }
  }

  #addFallback(line: BranchLine): void {
    if (line.fallback_for === null) return
    const times = this.#fallbacks.get(line.fallback_for) ?? []
    this.#fallbacks.set(line.fallback_for, times)
    times.push(timeOf(line))
  }

  #addNamed({ beat, options }: Condition): void {
    for (const option of options) this.#named.add(optionKey(beat, option))
  }

  /** The messages that ask for a decision, the earliest first. */
  asksOf(beat: string): Ask[] {
    return this.#asks.get(beat) ?? []
  }

  /** The first message that asks for a decision in an arm. Later ones do not ask again. */
  askIn(arm: SessionArm, beat: string): Ask | undefined {
    return this.#first[arm].get(beat)
  }

  hasAsking(beat: string): boolean {
    return this.#asking.has(beat)
  }

  /** Whether a condition names the option. */
  isNamed(beat: string, option: string): boolean {
    return this.#named.has(optionKey(beat, option))
  }

  /** Whether an earlier message asks for the same decision in an arm. */
  isRepeated(ask: Ask): boolean {
    return ask.arms.some((arm) => this.askIn(arm, ask.decision.beat) !== ask)
  }

  /** The options of a decision, together for all messages that ask for it. */
  optionsOf(beat: string): ReadonlySet<string> {
    return this.#options.get(beat) ?? new Set()
  }

  /** The ask that an acknowledgement answers in an arm. */
  acknowledgedAsk({ only_if }: BranchLine, arm: SessionArm): Ask | undefined {
    return acknowledgedAsk(only_if, (beat) => this.askIn(arm, beat), timeOf)
  }

  /** When a decision lapses: with the first fallback after its ask, or after its minutes. */
  deadlineOf(ask: Ask): number {
    const asked = timeOf(ask)
    const later = this.#fallbacks.get(ask.decision.beat)?.find((time) => time > asked)
    return later ?? asked + Number(ask.deadline_minutes)
  }

  /** Whether a decision has ended when another one is asked for in the same arm. */
  hasEndedAt(ask: Ask, other: Ask, arm: SessionArm, seen = new Set<Ask>()): boolean {
    if (this.deadlineOf(ask) <= timeOf(other)) return true
    seen.add(other)
    return other.only_if.some(({ beat }) => {
      const awaited = this.askIn(arm, beat)
      if (!awaited || seen.has(awaited) || seen.size > maxAsks) return false
      return awaited === ask || this.hasEndedAt(ask, awaited, arm, seen)
    })
  }
}
