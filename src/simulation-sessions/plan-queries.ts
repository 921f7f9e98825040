import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import { batchesOf } from '../database/batches.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { Pause } from '../turns/slices.js'
import type { PlanEntry } from './plan.js'
import type { OfSession } from './queries.js'

type Trx = Transaction<Database>

const planColumns = {
  position: 'integer',
  offset_ms: 'bigint',
  parent_position: 'integer',
  unless_answered: 'integer',
  conversation_id: 'uuid',
  channel_id: 'uuid',
  sender_id: 'text',
  content: 'text',
  kind: 'text',
  beat: 'text',
  expectation: 'jsonb',
} satisfies Record<keyof PlanEntry, string>

const planNames = Object.keys(planColumns) as (keyof PlanEntry)[]
const planTypes = sql.raw(planNames.map((name) => `${name} ${planColumns[name]}`).join())

/** Stores a plan. Each batch is one JSON text: a parameter for each value would cost far more time. */
export async function insertPlan(
  trx: Trx,
  { organization_id, session_id }: OfSession,
  entries: PlanEntry[],
  pause: Pause,
): Promise<void> {
  for (const batch of batchesOf(jsonOf(entries))) {
    await pause()
    const json = `[${batch.map((entry) => entry.json).join()}]`
    await trx
      .insertInto('session_plan')
      .columns(['organization_id', 'session_id', ...planNames])
      .expression(
        sql`select ${organization_id}::uuid, ${session_id}::uuid, ${sql.join(planNames.map((name) => sql.ref(name)))}
          from json_to_recordset(${json}::json) as entry (${planTypes})`,
      )
      .execute()
  }
}

function* jsonOf(entries: PlanEntry[]): Generator<{ json: string }> {
  for (const entry of entries) yield { json: JSON.stringify(entry) }
}

interface Due extends OfSession {
  next_position: number
  until: number
  limit: number
}

/**
 * What of the plan is not dealt with and due by a place on the clock, and the first line after that,
 * if there is one. At most `limit` lines.
 */
export const selectDueEntries = prepare(
  'select_due_entries',
  (db, { organization_id, session_id, next_position, until, limit }: ParametersOf<Due>) => {
    const later = db
      .selectFrom('session_plan')
      .select('position')
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .where('position', '>=', next_position)
      .where('offset_ms', '>', until)
      .orderBy('position')
      .limit(1)
    return db
      .selectFrom('session_plan')
      .selectAll()
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .where('position', '>=', next_position)
      .where((eb) => eb('position', '<=', eb.fn.coalesce(later, sql<number>`2147483647`)))
      .orderBy('position')
      .limit(limit)
  },
)

export type StoredEntry = Awaited<ReturnType<typeof selectDueEntries>>[number]

/** The messages that have been posted of some positions, each with whether a participant answered. */
export function selectPosted(
  db: Kysely<Database>,
  { organization_id, session_id }: OfSession,
  positions: number[],
) {
  return db
    .selectFrom('session_messages as root')
    .select((eb) => [
      'root._id',
      'root.plan_position',
      eb
        .exists(
          eb
            .selectFrom('session_messages as answer')
            .select('answer.seq')
            .whereRef('answer.organization_id', '=', 'root.organization_id')
            .whereRef('answer.session_id', '=', 'root.session_id')
            .whereRef('answer.thread_id', '=', 'root._id')
            .where('answer.sender_kind', '=', 'participant'),
        )
        .as('is_answered'),
    ])
    .where('root.organization_id', '=', organization_id)
    .where('root.session_id', '=', session_id)
    .where('root.plan_position', 'in', positions)
    .execute()
}
