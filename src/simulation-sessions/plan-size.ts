import type { Message } from '../channel-templates/messages.js'
import { quotaExceeded } from '../errors.js'
import type { Line } from './plan-lines.js'

/** How long the plan of a session may be. */
export interface PlanLimits {
  lines: number
  /** Of text and metadata. */
  bytes: number
}

export const usualLimits: PlanLimits = { lines: 10_000, bytes: 16 * 1024 * 1024 }

/** Adds up what a plan takes. Throws 409 as soon as that is more than is allowed. */
export class PlanSize {
  #lines = 0
  #bytes = 0

  constructor(readonly allowed: PlanLimits) {}

  /** Counts what is prepared for a channel. An empty channel counts as a line. */
  addChannel(messages: Message[]): void {
    if (messages.length === 0) this.#add(0)
    for (const { thread_replies, ...message } of messages) {
      for (const { content, metadata } of [message, ...thread_replies]) {
        this.#add(Buffer.byteLength(content) + Buffer.byteLength(JSON.stringify(metadata)))
      }
    }
  }

  /** Counts a line as it is posted. */
  addLine({ content, kind, beat, expectation }: Line): void {
    this.#add(
      Buffer.byteLength(content) + Buffer.byteLength(JSON.stringify([kind, beat, expectation])),
    )
  }

  #add(bytes: number): void {
    this.#lines += 1
    this.#bytes += bytes
    const { lines, bytes: most } = this.allowed
    if (this.#lines > lines) throw quotaExceeded('plan_lines', this.#lines, lines)
    if (this.#bytes > most) throw quotaExceeded('plan_bytes', this.#bytes, most)
  }
}
