import type { Kysely } from 'kysely'
import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import type { Database } from '../../src/database/schema.js'
import type { FrozenScenario } from '../../src/database/tables/frozen-scenario.js'
import { createId } from '../../src/formats/identifiers.js'

/** A message of a session: its author, its minute on the session clock, and its thread. */
export interface Line {
  by: 'character' | 'participant'
  /** The index of the author in `joined`. */
  who?: number
  minute: number
  /** The index of the line that began the thread. A line without it begins a thread. */
  to?: number
  kind?: string
  beat?: string
  channel?: 'hall'
  deadline_minutes?: number
}

export interface Play {
  status?: Schema<'SessionStatus'>
  experiment_id?: string | null
  arm?: 'control' | 'intervention' | null
  scenario?: FrozenScenario
  /** The ids of the participants who joined. */
  joined?: string[]
  /** The ids of the participants who were invited and did not join. */
  invited?: string[]
  lines?: Line[]
  ratings?: {
    rater_id: string
    subject?: string
    criterion: string
    value: number | boolean | string
  }[]
  deviations?: { deviation: string; at: string; shift_ms: number }[]
}

export const bareScenario: FrozenScenario = {
  label: 'Bare',
  description: null,
  lang: null,
  catalogue_version: null,
  situation: null,
  channels: [],
  participant_roles: [],
  artefacts: [],
  beats: [],
  decision_points: [],
  observer: [],
  debrief: [],
  rubric: [],
  run_sheet: [],
  measures: [],
}

type Place = { organization_id: string; session_id: string }

const desk = { conversation_id: createId(), channel_id: createId(), channel_name: 'desk' }
const hall = { conversation_id: createId(), channel_id: createId(), channel_name: 'hall' }
const time = '2026-11-23T09:00:00.000Z'

/** Stores a session with this content and returns its id. Without `status` it is completed. */
export async function insertPlayed(db: Kysely<Database>, organization_id: string, play: Play = {}) {
  const { status = 'completed', experiment_id = null, arm = null, deviations = [] } = play
  const session_id = createId()
  const settings = { scenario_name: 'bare', timing: 'drill', speed: 1, mode: 'scripted' } as const
  await db
    .insertInto('simulation_sessions')
    .values({
      organization_id,
      _id: session_id,
      name: 'Tuesday',
      ...settings,
      status,
      experiment_id,
      arm,
      started_at: status === 'draft' || status === 'scheduled' ? null : time,
      scenario: jsonb(play.scenario ?? bareScenario),
      conversations: jsonb([desk, hall]),
      deviations: jsonb(deviations.map((one) => ({ ...one, session_id }))),
    })
    .execute()
  await insertContent(db, { organization_id, session_id }, play)
  return session_id
}

async function insertContent(db: Kysely<Database>, place: Place, play: Play): Promise<void> {
  const { joined = [], invited = [], lines = [], ratings = [] } = play
  for (const user_id of [...joined, ...invited]) {
    const joined_at = joined.includes(user_id) ? time : null
    const assignment = { ...place, _id: createId(), user_id, pseudonym: 'p-1', joined_at }
    await db.insertInto('session_assignments').values(assignment).execute()
  }
  const messages = linesAsRows(place, joined, lines)
  if (messages.length > 0) await db.insertInto('session_messages').values(messages).execute()
  for (const { value, subject = 'team', ...rating } of ratings) {
    const given = jsonb<number | boolean | string>(value)
    const row = { ...place, pseudonym: 'r-1', ...rating, subject, value: given }
    await db.insertInto('session_ratings').values(row).execute()
  }
}

function linesAsRows(place: Place, joined: string[], lines: Line[]) {
  const ids = lines.map(() => createId())
  return lines.map(
    ({ by, who = 0, minute, to, kind = null, beat = null, channel, deadline_minutes }, i) => {
      const { conversation_id, channel_id } = channel === 'hall' ? hall : desk
      return {
        ...place,
        seq: i + 1,
        _id: ids[i] ?? '',
        conversation_id,
        channel_id,
        kind,
        beat,
        thread_id: to === undefined ? null : (ids[to] ?? null),
        sender_kind: by,
        sender_id: by === 'participant' ? (joined[who] ?? '') : place.session_id,
        content: 'Nobody counts the words.',
        expectation:
          deadline_minutes === undefined
            ? null
            : jsonb({ act: 'answer', deadline_minutes, options: [], decision: null }),
        offset_ms: minute * 60_000,
      }
    },
  )
}
