import type { Message } from '../messages.js'
import { lapsed } from '../prepared-metadata.js'
import { type BranchLine, linesOf } from './lines.js'
import { type Ask, type Ending, isAllowed, type Scenario } from './scenario.js'

/** How many decisions may wait for each other in a row. */
const maxDepth = 200

/** One outcome for each decision. A decision that is left out lapses. */
export class Path {
  readonly #endings = new Map<string, Ending | null>()
  #depth = 0

  constructor(
    readonly scenario: Scenario,
    readonly outcomes: ReadonlyMap<string, string> = new Map(),
  ) {}

  /** Whether a message is posted on this path, or a reply with its message. Both arms are one here. */
  hasLine(line: BranchLine): boolean {
    const { only_if, unless, fallback_for } = line
    if (fallback_for !== null && !this.#mayFallBack(fallback_for)) return false
    const holds = (condition: BranchLine['only_if'][number]) => {
      const ending = this.#endingOf(condition.beat)
      return ending !== null && isAllowed(condition, ending)
    }
    if (!only_if.every(holds) || unless.some(holds)) return false
    if (!line.isAcknowledgement) return true
    return line.arms.some((arm) => {
      const ask = this.scenario.acknowledgedAsk(line, arm)
      return !ask || this.#endingOf(ask.decision.beat)?.hasLapsed === false
    })
  }

  /** A fallback of a mere expectation is on each path. */
  #mayFallBack(beat: string): boolean {
    return this.scenario.asksOf(beat).length === 0 || this.#endingOf(beat)?.hasLapsed === true
  }

  /** How the decision ends; null if it is not asked on this path. */
  #endingOf(beat: string): Ending | null {
    const known = this.#endings.get(beat)
    if (known !== undefined) return known
    // A decision that waits for itself is never asked.
    this.#endings.set(beat, null)
    if (this.#depth === maxDepth) return null
    this.#depth += 1
    const ask = this.scenario.asksOf(beat).find((one) => this.hasLine(one))
    this.#depth -= 1
    const ending = ask ? this.#endingFor(ask) : null
    this.#endings.set(beat, ending)
    return ending
  }

  #endingFor({ decision: { beat, fallback_option } }: Ask): Ending {
    const outcome = this.outcomes.get(beat) ?? lapsed
    const hasLapsed = outcome === lapsed
    return { option: hasLapsed ? fallback_option : outcome, hasLapsed }
  }
}

/** The messages that are posted on a path, with the replies that are. */
export function messagesOn(path: Path, messages: Message[]): Message[] {
  return messages.flatMap((message) => {
    const [root, ...replies] = linesOf(message)
    if (!path.hasLine(root)) return []
    const isPosted = (i: number) => {
      const line = replies[i]
      return line !== undefined && path.hasLine(line)
    }
    return { ...message, thread_replies: message.thread_replies.filter((_, i) => isPosted(i)) }
  })
}
