import type { SessionMeasure } from '../database/frozen-scenario.js'
import * as statistics from './statistics.js'
import type { Thread, Transcript } from './transcript.js'

/** One number a session, with what people have to know of it. */
export interface Outcome {
  outcome: string
  label: string
  unit: string
  definition: string
  source: string
  /** Null where the session has nothing that it could be computed from. */
  compute(session: Transcript): number | null
}

const everyScenario = 'messages, in every scenario'
const answered =
  'Of the threads that a character began after the start, but for fallbacks, the share in which a participant wrote'
const firstAnswer =
  "Median of minutes on the session's clock from the first message of a thread that a character began after the start to the first of a participant in it, over the threads that one answered"
const balance =
  'Shannon entropy of the messages of each who took part, divided by the logarithm of their number: from 0, one wrote all, to 1, all wrote the same'

/** What every session has, whatever its scenario. */
export const commonOutcomes: readonly Outcome[] = [
  {
    outcome: 'expectations_met',
    label: 'share of expectations that participants met in time',
    unit: 'share',
    definition:
      "Of the lines posted after the start that wait for participants, the share after which one of them wrote in the thread by the deadline, on the session's clock",
    source: everyScenario,
    compute: ({ threads }) => statistics.expectationsMet(threads),
  },
  {
    outcome: 'answered_share',
    label: 'share of threads begun by characters that participants answered',
    unit: 'share',
    definition: answered,
    source: everyScenario,
    compute: ({ threads }) => statistics.answeredShare(threads),
  },
  {
    outcome: 'first_answer_minutes',
    label: 'median minutes until a participant first answered a thread',
    unit: 'minutes',
    definition: firstAnswer,
    source: everyScenario,
    compute: ({ threads }) => statistics.firstAnswerMinutes(threads),
  },
  {
    outcome: 'messages_per_participant',
    label: 'messages of each participant',
    unit: 'messages',
    definition: 'Messages of participants, divided by the number of those who took part',
    source: everyScenario,
    compute: ({ threads, joined }) => statistics.messagesPerParticipant(threads, joined),
  },
  {
    outcome: 'participation_balance',
    label: 'how evenly participants shared the writing',
    unit: 'balance',
    definition: balance,
    source: everyScenario,
    compute: ({ threads, joined }) => statistics.participationBalance(threads, joined),
  },
]

type Computed = Pick<Outcome, 'unit' | 'definition'> & {
  of(threads: readonly Thread[], joined: readonly string[]): number | null
}

/** What the scenario's own measures compute of the threads that they are about. */
export const ownStatistics: Record<SessionMeasure['statistic'], Computed> = {
  answered_share: {
    unit: 'share',
    definition: answered,
    of: statistics.answeredShare,
  },
  participants_answering: {
    unit: 'share',
    definition:
      'Of those who took part, the share who wrote in a thread that a character began after the start',
    of: statistics.participantsAnswering,
  },
  first_answer_minutes: {
    unit: 'minutes',
    definition: firstAnswer,
    of: statistics.firstAnswerMinutes,
  },
  message_count: {
    unit: 'messages',
    definition: 'Messages of participants',
    of: statistics.messageCount,
  },
  participation_balance: {
    unit: 'balance',
    definition: balance,
    of: statistics.participationBalance,
  },
  threads_joined: {
    unit: 'threads',
    definition: 'Threads in which a participant wrote',
    of: statistics.threadsJoined,
  },
}
