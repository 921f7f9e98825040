import type { Condition } from '../prepared-metadata.js'
import type { BranchLine, SessionArm } from './lines.js'
import { type Ask, type Ending, isAllowed, type Scenario } from './scenario.js'

/** How many lines are looked at for one line. Beyond that the line counts as reached. */
const maxLines = 20

export type Reach = 'reached' | 'contradiction' | 'loop'

/**
 * Whether a path reaches a line in an arm. It has to reach the asks of the decisions that the line
 * waits for too, and the conditions of all of them must hold together.
 */
export function reachOf(line: BranchLine, arm: SessionArm, scenario: Scenario): Reach {
  return new Search(line, arm, scenario).reach()
}

class Search {
  /** The endings that are left, by decision. */
  readonly #left = new Map<string, Ending[]>()
  /** The decisions that must have ended. */
  readonly #waitedFor = new Set<string>()
  /** The lines on the way from the first line to this one. */
  readonly #way = new Set<BranchLine>()
  readonly #done = new Set<BranchLine>()
  #count = 0

  constructor(
    readonly line: BranchLine,
    readonly arm: SessionArm,
    readonly scenario: Scenario,
  ) {}

  reach(): Reach {
    const found = this.#follow(this.line)
    if (found !== 'reached') return found
    const isEmpty = [...this.#waitedFor].some((beat) => this.#left.get(beat)?.length === 0)
    return isEmpty ? 'contradiction' : 'reached'
  }

  #follow(line: BranchLine): Reach {
    if (this.#way.has(line)) return line === this.line ? 'loop' : 'contradiction'
    if (this.#done.has(line) || this.#count >= maxLines) return 'reached'
    this.#count += 1
    this.#way.add(line)
    for (const ask of this.#asksFor(line)) {
      const found = ask ? this.#follow(ask) : 'contradiction'
      if (found !== 'reached') return found
    }
    const found = line.root ? this.#follow(line.root) : 'reached'
    this.#way.delete(line)
    this.#done.add(line)
    return found
  }

  /** Keeps the endings that a line allows. Returns the asks that it waits for; null if there is none. */
  #asksFor(line: BranchLine): (Ask | null)[] {
    for (const condition of line.unless) {
      this.#narrow(condition.beat, (ending) => !isAllowed(condition, ending))
    }
    const acknowledged = line.isAcknowledgement && this.scenario.acknowledgedAsk(line, this.arm)
    const known = line.only_if.filter((condition) => this.#isKnown(condition))
    const asks = known.map((condition) => {
      const { beat } = condition
      const mayLapse = !acknowledged || acknowledged.decision.beat !== beat
      this.#narrow(
        beat,
        (ending) => isAllowed(condition, ending) && (mayLapse || !ending.hasLapsed),
      )
      return this.#waitFor(beat)
    })
    const lapsed = line.fallback_for === null ? null : this.#waitFor(line.fallback_for)
    if (!lapsed) return asks
    this.#narrow(lapsed.decision.beat, ({ hasLapsed }) => hasLapsed)
    return [...asks, lapsed]
  }

  /** Other warnings name what is unknown. */
  #isKnown({ beat, options }: Condition): boolean {
    const known = this.scenario.optionsOf(beat)
    return options.some((option) => known.has(option))
  }

  #waitFor(beat: string): Ask | null {
    this.#waitedFor.add(beat)
    return this.scenario.askIn(this.arm, beat) ?? null
  }

  #narrow(beat: string, isAllowed: (ending: Ending) => boolean): void {
    const ask = this.scenario.askIn(this.arm, beat)
    if (!ask) return
    const left = this.#left.get(beat) ?? endingsOf(ask)
    this.#left.set(beat, left.filter(isAllowed))
  }
}

function endingsOf({ decision: { options, fallback_option } }: Ask): Ending[] {
  const chosen = options.map(({ option }) => ({ option, hasLapsed: false }))
  return [...chosen, { option: fallback_option, hasLapsed: true }]
}
