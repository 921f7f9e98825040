import type { Message } from '../../channel-templates/messages.js'
import { quotaExceeded } from '../../errors.js'
import type { Allowed } from '../../limits.js'
import type { Line } from './lines.js'

/** Adds up the size of a plan. Throws 409 as soon as it exceeds a limit. */
export class PlanSize {
  #lines = 0
  #bytes = 0

  constructor(readonly allowed: Pick<Allowed, 'plan_lines' | 'plan_bytes'>) {}

  /** Counts the prepared messages of a channel. An empty channel counts as one line. */
  addChannel(messages: Message[]): void {
    if (messages.length === 0) this.#add(0)
    for (const { thread_replies, ...message } of messages) {
      for (const { content, metadata } of [message, ...thread_replies]) {
        this.#add(Buffer.byteLength(content) + Buffer.byteLength(JSON.stringify(metadata)))
      }
    }
  }

  /** Counts a rendered line. */
  addLine({ content, kind, beat, expectation, artefact, decision, conditions }: Line): void {
    const rest = JSON.stringify([kind, beat, expectation, artefact, decision, conditions])
    this.#add(Buffer.byteLength(content) + Buffer.byteLength(rest))
  }

  #add(bytes: number): void {
    this.#lines += 1
    this.#bytes += bytes
    const { plan_lines, plan_bytes } = this.allowed
    if (this.#lines > plan_lines) throw quotaExceeded('plan_lines', this.#lines, plan_lines)
    if (this.#bytes > plan_bytes) throw quotaExceeded('plan_bytes', this.#bytes, plan_bytes)
  }
}
