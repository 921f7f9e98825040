import { type Kysely, sql } from 'kysely'
import { loadCatalogue } from '../../../src/blueprints/catalogue/load.js'
import { playedScenario } from '../../../src/blueprints/played-scenario.js'
import { migrateToLatest } from '../../../src/database/migrate.js'
import type { Database } from '../../../src/database/schema.js'
import { withNewDatabases } from '../connections.js'
import { openDatabaseOf } from '../database.js'
import { signToken } from '../tokens.js'

/** Where sessions are played: a database with nothing else in it. */
export interface Stage {
  databaseUrl: string
  db: Kysely<Database>
}

/** Does work with a new database of the server, and drops it whatever becomes of it. */
export function withStage<T>(
  server: string,
  work: (stage: Stage) => Promise<T>,
  name = 'workplace_bench_sessions',
): Promise<T> {
  return withNewDatabases([server], name, async ([databaseUrl = '']) => {
    const db = await openDatabaseOf({ databaseUrl, dataDir: '' })
    try {
      await migrateToLatest(db)
      return await work({ databaseUrl, db })
    } finally {
      await db.destroy()
    }
  })
}

export interface Member {
  organization_id: string
  user_id: string
  role: 'admin' | 'employee'
  token: string
}

/** New organizations with an admin and some others each, who are all logged in. */
export async function insertMembers(
  db: Kysely<Database>,
  { organizations, others = 0 }: { organizations: number; others?: number },
): Promise<Member[]> {
  const { rows } = await sql<Omit<Member, 'token'>>`
    with organization as (
      insert into organizations (_id, name)
      select gen_random_uuid(), 'Bench' from generate_series(1, ${organizations}::integer)
      returning _id
    ), branding as (
      insert into brandings (organization_id, company_name) select _id, 'Bench' from organization
    ), member as (
      insert into users (organization_id, _id, username, email, role)
      select _id, gen_random_uuid(), 'user' || number, number || '@' || _id || '.example',
        case number when 0 then 'admin' else 'employee' end
      from organization, generate_series(0, ${others}::integer) as number
      returning organization_id, _id, role
    ), login as (
      insert into login_sessions (organization_id, _id, user_id, expires_at)
      select organization_id, _id, _id, timestamptz '2100-01-01Z' from member
    )
    select organization_id, _id as user_id, role from member`.execute(db)
  return rows.map((row) => {
    const { organization_id: org, user_id: sub, role } = row
    return { ...row, token: signToken({ sub, sid: sub, org, role }) }
  })
}

interface Play {
  organizations: readonly string[]
  sessions: number
  /** How many lines the plan of each has. */
  lines: number
  /** When the clocks stand at zero. */
  anchorAt: Date
  /** From one line of a session to the next. */
  everyMs: number
  /** Over how long the first lines of the sessions are spread, and so all the others. */
  spreadMs: number
  /** Where the sessions end on their clocks; null for never. */
  endMs?: number | null
}

export interface Played {
  _id: string
  organization_id: string
  conversation_id: string
}

/** What a session of the catalogue keeps of its scenario, which is read with it. */
const scenario = () => JSON.stringify(playedScenario(loadCatalogue(), 'hr_workforce', null))

const words =
  'can we look at the shift plan before thursday? The night shift is short of two people '

/** Running sessions with their plans, by turns of the organizations. */
export async function insertSessions(db: Kysely<Database>, play: Play): Promise<Played[]> {
  const { organizations, sessions, lines, anchorAt, everyMs, spreadMs, endMs = null } = play
  return db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    const { rows } = await sql<Played>`
      insert into simulation_sessions (organization_id, _id, name, scenario_name, timing, speed, mode,
        status, started_at, scenario, conversations, planned, end_offset_ms, anchor_at,
        next_offset_ms, next_due_at)
      select (${[...organizations]}::uuid[])[1 + i % ${organizations.length}::integer],
        gen_random_uuid(), 'Session ' || i, 'hr_workforce', 'drill', 1, 'scripted', 'running',
        anchor_at, ${scenario()}::jsonb,
        jsonb_build_array(jsonb_build_object('conversation_id', gen_random_uuid(),
          'channel_id', gen_random_uuid(), 'channel_name', 'home')),
        ${lines}::integer, ${endMs}::bigint, anchor_at, first, anchor_at + first * interval '1 ms'
      from generate_series(0, ${sessions - 1}::integer) as i,
        lateral (select ${anchorAt.toISOString()}::timestamptz as anchor_at,
          (i::bigint * ${spreadMs}::bigint / ${sessions}::bigint) as first) as clock
      returning organization_id, _id, conversations->0->>'conversation_id' as conversation_id`.execute(
      trx,
    )
    await sql`
      insert into session_plan (organization_id, session_id, position, offset_ms, conversation_id,
        channel_id, sender_id, content)
      select organization_id, _id, position, next_offset_ms + position * ${everyMs}::bigint,
        (conversations->0->>'conversation_id')::uuid, (conversations->0->>'channel_id')::uuid,
        gen_random_uuid()::text, 'Line ' || position || repeat(${words}, 2)
      from simulation_sessions, generate_series(0, planned - 1) as position
      where _id = any(${rows.map(({ _id }) => _id)}::uuid[])`.execute(trx)
    return rows
  })
}

/** So that no measurement meets what the inserts left to be done. */
export async function settle(db: Kysely<Database>): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`vacuum (analyze)`.execute(connection)
    await sql`checkpoint`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
  })
}
