import type pg from 'pg'
import { migrate } from '../database/bench-database.js'
import { withClient, withNewDatabases } from '../database/connections.js'

/** A database of its own in which sessions run. */
export interface Stage {
  databaseUrl: string
  client: pg.Client
}

/** Runs work with a new, migrated database, and drops it in any case. */
export function withStage<T>(server: string, work: (stage: Stage) => Promise<T>): Promise<T> {
  return withNewDatabases([server], 'workplace_bench_sessions', async ([databaseUrl = '']) => {
    await migrate(databaseUrl)
    return withClient(databaseUrl, (client) => work({ databaseUrl, client }))
  })
}

/** A line of a plan. In its texts, `{round}` stands for the number of the round. */
export interface PlanLine {
  /** From the beginning of the round. */
  after_ms: number
  kind?: string
  beat?: string
  expectation?: object
  conditions?: object
  fallback_option?: string
  acknowledges?: string
  lapses?: string
}

interface Play {
  organizations: readonly string[]
  sessions: number
  /** How often the lines of a round come. */
  rounds: number
  /** When the clocks are at zero. */
  anchorAt: Date
  /** From one round of a session to the next. */
  everyMs: number
  /** The first rounds of the sessions are spread over this time. */
  spreadMs: number
  /** The lines of a round; one line if it is left out. */
  round?: readonly PlanLine[]
  /** When the sessions end on their clocks; null for never. */
  endMs?: number | null
}

export interface Played {
  _id: string
  organization_id: string
  conversation_id: string
}

/** As long as the scenarios of the catalogue, because it is read with its session. */
const scenario = JSON.stringify({
  ...{
    label: 'Bench',
    description: 'A line of a scenario. '.repeat(1_000),
    catalogue_version: null,
  },
  ...{ channels: [], participant_roles: [], beats: [], decision_points: [], rubric: [] },
  ...{ run_sheet: [], measures: [] },
})

const oneLine: readonly PlanLine[] = [{ after_ms: 0 }]

const words =
  'can we look at the shift plan before thursday? The night shift is short of two people '

/** Inserts running sessions with their plans. */
export async function insertSessions(client: pg.Client, play: Play): Promise<Played[]> {
  const { organizations, sessions, rounds, anchorAt, everyMs, spreadMs, endMs = null } = play
  const { round = oneLine } = play
  const { rows } = await client.query<Played>(
    `insert into simulation_sessions (organization_id, _id, name, scenario_name, timing, speed, mode,
      status, started_at, scenario, conversations, planned, end_offset_ms, anchor_at,
      next_offset_ms, next_due_at)
    select ($1::uuid[])[1 + i % cardinality($1::uuid[])], gen_random_uuid(), 'Session ' || i,
      'hr_workforce', 'drill', 1, 'scripted', 'running', anchor_at, $2::jsonb,
      jsonb_build_array(jsonb_build_object('conversation_id', gen_random_uuid(),
        'channel_id', gen_random_uuid(), 'channel_name', 'home')),
      $3::integer, $4::bigint, anchor_at, first, anchor_at + first * interval '1 ms'
    from generate_series(0, $5::integer - 1) as i,
      lateral (select $6::timestamptz as anchor_at, i::bigint * $7::bigint / $5::bigint as first)
        as clock
    returning organization_id, _id, conversations->0->>'conversation_id' as conversation_id`,
    [organizations, scenario, rounds * round.length, endMs, sessions, anchorAt, spreadMs],
  )
  await insertPlans(client, { _ids: rows.map(({ _id }) => _id), rounds, round, everyMs })
  return rows
}

interface Plans extends Required<Pick<Play, 'rounds' | 'round' | 'everyMs'>> {
  /** The sessions. */
  _ids: string[]
}

async function insertPlans(client: pg.Client, { _ids, rounds, round, everyMs }: Plans) {
  const lines = JSON.stringify(round.map((line, number) => ({ ...line, number })))
  await client.query(
    `insert into session_plan (organization_id, session_id, position, offset_ms, conversation_id,
      channel_id, sender_id, content, kind, beat, expectation, conditions, fallback_option,
      acknowledges, lapses)
    select organization_id, _id, position, next_offset_ms + round * $1::bigint + after_ms,
      (conversations->0->>'conversation_id')::uuid, (conversations->0->>'channel_id')::uuid,
      gen_random_uuid()::text, 'Line ' || position || $2::text, kind, beat, expectation, conditions,
      fallback_option, acknowledges, lapses
    from simulation_sessions, generate_series(0, $3::integer - 1) as round,
      lateral jsonb_to_recordset(replace($4::text, '{round}', round::text)::jsonb) as line (
        number integer, after_ms bigint, kind text, beat text, expectation jsonb, conditions jsonb,
        fallback_option text, acknowledges text, lapses text),
      lateral (select round * $5::integer + number as position) as place
    where _id = any($6::uuid[])`,
    [everyMs, words.repeat(2), rounds, lines, round.length, _ids],
  )
}

/** Copies all plans: the service deletes a plan with the end of its session. */
export async function keepPlans(client: pg.Client): Promise<void> {
  await client.query('create table planned_lines as table session_plan')
  await client.query('create index on planned_lines (organization_id, session_id, position)')
  await client.query('analyze planned_lines')
}

/** Lets all employees join all sessions of their organization. */
export async function joinEmployees(client: pg.Client): Promise<void> {
  await client.query(
    `insert into session_assignments (organization_id, _id, session_id, user_id, pseudonym, joined_at)
    select organization_id, gen_random_uuid(), simulation_sessions._id, users._id,
      'P' || users.username, now()
    from simulation_sessions join users using (organization_id)
    where role = 'employee'`,
  )
}

/** Does the work that inserts leave behind before something is measured. */
export async function settle(client: pg.Client): Promise<void> {
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
}
