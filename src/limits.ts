/** What a limit counts for. With `process`, each process counts what is open in it. */
type LimitScope = 'organization' | 'scenario' | 'session' | 'participant' | 'process'

export interface Limit {
  /** How much an organization may use, unless an operator has set another limit or default. */
  allowed: number
  per: LimitScope
  description: string
}

const mebibyte = 1_048_576

/**
 * All limits of an organization. No ordinary team reaches the defaults. An operator can change them for
 * one organization with `npm run limits`, and for all with DEFAULT_LIMITS.
 */
export const limits = {
  people: {
    allowed: 20_000,
    per: 'organization',
    description: 'Users: people, those invited, and bots. Guests of sessions do not count.',
  },
  invitations: {
    allowed: 50_000,
    per: 'organization',
    description: 'Invitations, also those accepted, expired or revoked.',
  },
  api_keys: { allowed: 2_000, per: 'organization', description: 'API keys of all bots.' },
  templates: { allowed: 10_000, per: 'organization', description: 'Channel templates.' },
  template_bytes: {
    allowed: 256 * mebibyte,
    per: 'organization',
    description: 'Bytes of the messages of all channel templates.',
  },
  scenario_templates: {
    allowed: 1_000,
    per: 'scenario',
    description: 'Channel templates of one scenario.',
  },
  scenario_template_bytes: {
    allowed: 32 * mebibyte,
    per: 'scenario',
    description: 'Bytes of the messages of all channel templates of one scenario.',
  },
  quick_setups: {
    allowed: 2_000,
    per: 'organization',
    description: 'Applied quick setups, also those rolled back.',
  },
  quick_setup_bytes: {
    allowed: 256 * mebibyte,
    per: 'organization',
    description: 'Bytes that applied quick setups keep, so that they can be rolled back.',
  },
  consent_texts: {
    allowed: 100,
    per: 'organization',
    description: 'Versions of the consent text.',
  },
  experiments: { allowed: 5_000, per: 'organization', description: 'Experiments.' },
  sessions: {
    allowed: 25_000,
    per: 'organization',
    description: 'Sessions of any status, also those ended.',
  },
  sessions_scheduled: {
    allowed: 10_000,
    per: 'organization',
    description: 'Sessions that will start at their time.',
  },
  sessions_running: {
    allowed: 2_000,
    per: 'organization',
    description: 'Sessions that run or pause.',
  },
  session_bytes: {
    allowed: 256 * mebibyte,
    per: 'organization',
    description:
      'Bytes that all sessions store: messages, private words, notes and ratings, each with 300 more, the scenarios that were played, and twice the plans of sessions that have not ended, because their messages come on top.',
  },
  bytes_per_session: {
    allowed: 64 * mebibyte,
    per: 'session',
    description:
      'Bytes that one session stores, counted like those of all sessions. Beyond the limit, requests cannot post messages or private words.',
  },
  participant_bytes: {
    allowed: mebibyte,
    per: 'participant',
    description:
      'Bytes of the messages and private words that one participant sends in one session, each with 300 more.',
  },
  session_participants: {
    allowed: 100,
    per: 'session',
    description: 'Participants of one session. A request names at most 100.',
  },
  session_characters: {
    allowed: 200,
    per: 'session',
    description: 'Characters in the cast of one session.',
  },
  plan_lines: {
    allowed: 10_000,
    per: 'session',
    description:
      'Prepared messages and replies of the scenario of one session that starts, of both arms.',
  },
  plan_bytes: {
    allowed: 16 * mebibyte,
    per: 'session',
    description: 'Bytes of the texts and the metadata that one session plans at its start.',
  },
  session_messages: {
    allowed: 100_000,
    per: 'session',
    description: 'Messages of one session. Beyond the limit, requests cannot post.',
  },
  trainer_messages: {
    allowed: 1_000,
    per: 'participant',
    description:
      'Private words that one participant sends to the trainers of one session. Answers of trainers do not count.',
  },
  rating_bytes: {
    allowed: 4 * mebibyte,
    per: 'session',
    description:
      'Bytes of the values and comments of all ratings of one session, also of those that participants give themselves, and 300 for each rating.',
  },
  note_bytes: {
    allowed: 4 * mebibyte,
    per: 'session',
    description: 'Bytes of all notes of one session, and 300 for each note.',
  },
  participant_messages_per_minute: {
    allowed: 60,
    per: 'participant',
    description:
      'Messages and private words that one executive, employee or seat sends in one session in one minute. Each process counts by itself.',
  },
  participant_events_per_day: {
    allowed: 1_000,
    per: 'participant',
    description:
      'Requests that write of one executive, employee or seat, in 24 hours from the first one. Each process counts by itself.',
  },
  events_per_day: {
    allowed: 50_000,
    per: 'organization',
    description:
      'Audit events since midnight UTC. Beyond the limit, requests that write are refused.',
  },
  letters_per_day: {
    allowed: 5_000,
    per: 'organization',
    description:
      'Letters of invitation since midnight UTC. Password resets have a limit of the same size; the first one of a day to a user does not count.',
  },
  streams: {
    allowed: 2_000,
    per: 'process',
    description: 'Event streams that are open at once.',
  },
  exports: {
    allowed: 10,
    per: 'process',
    description:
      'Exports and verifications of the audit trail under way at once. One person may have two; for a third the answer is a 429.',
  },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits
/** How much an organization may use, by limit. */
export type Allowed = Readonly<Record<LimitName, number>>

export const limitNames = Object.keys(limits) as LimitName[]
export const isLimitName = (name: string): name is LimitName => Object.hasOwn(limits, name)

/** The largest number that a limit can be. */
const largest = 999_999_999_999_999

/** Reads defaults, such as `{"events_per_day":20000}`. Returns null if the text is anything else. */
export function readDefaults(text: string): Partial<Allowed> | null {
  const values = parse(text)
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return null
  const isValid = Object.entries(values).every(
    ([name, value]) =>
      isLimitName(name) && Number.isInteger(value) && value >= 0 && value <= largest,
  )
  return isValid ? values : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
