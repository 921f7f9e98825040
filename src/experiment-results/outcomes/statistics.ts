import { minuteMs } from '../../process/clock.js'
import { sum } from '../comparison/moments.js'
import { type Decision, isByParticipant, type Message, type Thread } from './transcript.js'

/**
 * The share of lines with an expectation that a participant met: wrote in the thread by the deadline,
 * on the session's clock, or made the decision that the line asks for. Lines from before the start have
 * no expectation.
 */
export function expectationsMet(
  threads: readonly Thread[],
  decisions: readonly Decision[],
): number | null {
  const asks = new Map(decisions.map((one) => [one.message_id, one]))
  const met = threads.flatMap(({ messages }) => {
    // Goes from the end, and keeps the earliest participant's message after the current one.
    let earliest = Number.POSITIVE_INFINITY
    return messages.toReversed().flatMap((message) => {
      const { deadline_minutes, offset_ms } = message
      const decision = asks.get(message._id)
      if (decision) return [decision.status === 'decided']
      if (isByParticipant(message)) earliest = Math.min(earliest, offset_ms)
      else if (deadline_minutes !== null && offset_ms >= 0) {
        return [earliest <= offset_ms + deadline_minutes * minuteMs]
      }
      return []
    })
  })
  return shareOf(met, (one) => one)
}

/** The share of decisions that people made before the deadline. */
export const decisionsMade = (decisions: readonly Decision[]) =>
  shareOf(decisions, ({ status }) => status === 'decided')

/** The median of minutes until people made a decision, over those that they made. */
export function decisionMinutes(decisions: readonly Decision[]): number | null {
  const minutes = decisions.flatMap(({ status, asked_offset_ms, ended_offset_ms }) =>
    status === 'decided' && ended_offset_ms !== null
      ? [(ended_offset_ms - asked_offset_ms) / minuteMs]
      : [],
  )
  return median(minutes)
}

/** Whether a decision ended in an option (1 or 0), also at its deadline; null if it has not ended so. */
export function endedIn(
  decisions: readonly Decision[],
  beat: string,
  option: string,
): number | null {
  const decision = decisions.find((one) => one.beat === beat)
  return decision?.option == null ? null : Number(decision.option === option)
}

/** The share of threads begun by characters after the start in which a participant wrote. */
export function answeredShare(threads: readonly Thread[]): number | null {
  return shareOf(begunByCharacters(threads), (thread) => thread.messages.some(isByParticipant))
}

/** The share of participants who wrote in a thread that a character began after the start. */
export function participantsAnswering(
  threads: readonly Thread[],
  joined: readonly string[],
): number | null {
  const writers = new Set(byParticipants(begunByCharacters(threads)).map((one) => one.sender_id))
  return shareOf(joined, (user_id) => writers.has(user_id))
}

/** The median of minutes until the first answer of a participant, over the answered threads. */
export function firstAnswerMinutes(threads: readonly Thread[]): number | null {
  const minutes = begunByCharacters(threads).flatMap(({ root, messages }) => {
    const answer = messages.find(isByParticipant)
    return answer ? [(answer.offset_ms - root.offset_ms) / minuteMs] : []
  })
  return median(minutes)
}

export const messageCount = (threads: readonly Thread[]) => byParticipants(threads).length

export function messagesPerParticipant(
  threads: readonly Thread[],
  joined: readonly string[],
): number | null {
  return joined.length === 0 ? null : messageCount(threads) / joined.length
}

/** The number of threads in which a participant wrote. */
export const threadsJoined = (threads: readonly Thread[]) =>
  threads.filter(({ messages }) => messages.some(isByParticipant)).length

/** The entropy of the participants' shares of messages, divided by its largest possible value. */
export function participationBalance(
  threads: readonly Thread[],
  joined: readonly string[],
): number | null {
  const counts = new Map(joined.map((user_id) => [user_id, 0]))
  for (const { sender_id } of byParticipants(threads)) {
    const count = counts.get(sender_id)
    if (count !== undefined) counts.set(sender_id, count + 1)
  }
  const written = [...counts.values()].filter((count) => count > 0)
  const all = sum(written)
  if (joined.length < 2 || all === 0) return null
  const entropy = sum(written.map((count) => (count / all) * Math.log(all / count)))
  return Math.min(1, entropy / Math.log(joined.length))
}

function byParticipants(threads: readonly Thread[]): Message[] {
  return threads.flatMap(({ messages }) => messages.filter(isByParticipant))
}

/** Leaves out fallbacks, which need no answer, and injected messages: trainers know the arm. */
const begunByCharacters = (threads: readonly Thread[]) =>
  threads.filter(({ root }) => {
    const isPlanned = !root.injected && root.kind !== 'fallback'
    return isPlanned && !isByParticipant(root) && root.offset_ms >= 0
  })

function shareOf<T>(items: readonly T[], test: (item: T) => boolean): number | null {
  return items.length === 0 ? null : items.filter(test).length / items.length
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1].map((at) => sorted[at])
  return low === undefined || high === undefined ? null : (low + high) / 2
}
