import { sum } from './moments.js'
import { isByParticipant, type Message, type Thread } from './transcript.js'

const minuteMs = 60_000

/**
 * Of the lines that wait for participants, the share after which one of them wrote in the thread by
 * the deadline, on the session's clock. History waits for nobody.
 */
export function expectationsMet(threads: readonly Thread[]): number | null {
  const met = threads.flatMap(({ messages }) => {
    // The earliest of participants after the message that is looked at, from the end on.
    let earliest = Number.POSITIVE_INFINITY
    return messages.toReversed().flatMap((message) => {
      const { deadline_minutes, offset_ms } = message
      if (isByParticipant(message)) earliest = Math.min(earliest, offset_ms)
      else if (deadline_minutes !== null && offset_ms >= 0) {
        return [earliest <= offset_ms + deadline_minutes * minuteMs]
      }
      return []
    })
  })
  return shareOf(met, (one) => one)
}

/** Of the threads that characters began after the start, the share in which a participant wrote. */
export function answeredShare(threads: readonly Thread[]): number | null {
  return shareOf(begunByCharacters(threads), (thread) => thread.messages.some(isByParticipant))
}

/** Of those who took part, the share who wrote in such a thread. */
export function participantsAnswering(
  threads: readonly Thread[],
  joined: readonly string[],
): number | null {
  const writers = new Set(byParticipants(begunByCharacters(threads)).map((one) => one.sender_id))
  return shareOf(joined, (user_id) => writers.has(user_id))
}

/** Over those that a participant answered, the median of minutes until the first did. */
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

/** In how many a participant wrote, whoever began them. */
export const threadsJoined = (threads: readonly Thread[]) =>
  threads.filter(({ messages }) => messages.some(isByParticipant)).length

/** The entropy of who wrote how many messages, as a share of the most there can be. */
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

/** A fallback asks for no answer; what a trainer puts in, who knows the arm, is no measure of it. */
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
