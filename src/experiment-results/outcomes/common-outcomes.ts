import type { SessionMeasure } from '../../database/tables/frozen-scenario.js'
import * as statistics from './statistics.js'
import type { Thread, Transcript } from './transcript.js'

/** An outcome: one number per session, with its description. */
export interface Outcome {
  outcome: string
  label: string
  unit: string
  definition: string
  source: string
  /** Null if the session has no data for it. */
  compute(session: Transcript): number | null
}

const everyDecision = 'decisions, in every scenario'
const everyScenario = 'messages, in every scenario'
const answered =
  'The share of threads in which a participant wrote, of those that a character began after the start, except fallbacks'
const firstAnswer =
  "The median of minutes, on the session's clock, from the first message of a thread that a character began after the start to the first message of a participant in it, over the threads with an answer"
const balance =
  'Shannon entropy of the number of messages of each participant who joined, divided by the logarithm of their number: 0 if one wrote all messages, 1 if all wrote the same number'

/** The outcomes of every session, in any scenario. */
export const commonOutcomes: readonly Outcome[] = [
  {
    outcome: 'expectations_met',
    label: 'share of expectations that participants met in time',
    unit: 'share',
    definition:
      "The share of lines with an expectation, posted after the start, after which a participant wrote in the thread by the deadline, on the session's clock. A line that asks for a decision is met when people made the decision",
    source: everyScenario,
    compute: ({ threads, decisions }) => statistics.expectationsMet(threads, decisions),
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
    definition: 'Messages of participants, divided by the number of participants who joined',
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
  {
    outcome: 'decisions_made',
    label: 'share of decisions that people made before the deadline',
    unit: 'share',
    definition:
      'How many of the decisions that the session asked for were made before the deadline, by a participant or by a trainer on their behalf, as a share',
    source: everyDecision,
    compute: ({ decisions }) => statistics.decisionsMade(decisions),
  },
  {
    outcome: 'decision_minutes',
    label: 'median minutes until people made a decision',
    unit: 'minutes',
    definition:
      "The median of minutes, on the session's clock, from the message that asks for a decision to the decision, over the decisions that people made",
    source: everyDecision,
    compute: ({ decisions }) => statistics.decisionMinutes(decisions),
  },
]

type Computed = Pick<Outcome, 'unit' | 'definition'> & {
  of(threads: readonly Thread[], joined: readonly string[]): number | null
}

/** The statistics of a scenario's own measures, each computed from the threads of the measure. */
export const ownStatistics: Record<SessionMeasure['statistic'], Computed> = {
  answered_share: {
    unit: 'share',
    definition: answered,
    of: statistics.answeredShare,
  },
  participants_answering: {
    unit: 'share',
    definition:
      'The share of the participants who joined who wrote in a thread that a character began after the start',
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
