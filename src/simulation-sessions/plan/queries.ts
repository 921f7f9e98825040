import { sql } from 'kysely'
import { batchesOf } from '../../database/batches.js'
import type { Db, Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import type { Pause } from '../../turns/slices.js'
import { isAnswer } from '../expectation-queries.js'
import type { OfSession } from '../queries.js'
import type { PlanEntry } from './compile-plan.js'

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
  artefact: 'jsonb',
  conditions: 'jsonb',
  fallback_option: 'text',
  acknowledges: 'text',
  lapses: 'text',
} satisfies Record<keyof PlanEntry, string>

const planNames = Object.keys(planColumns) as (keyof PlanEntry)[]
const planTypes = sql.raw(planNames.map((name) => `${name} ${planColumns[name]}`).join())

/** Stores a plan. Each batch is one JSON text: one parameter for each value is far slower. */
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

/** Deletes the plan of a session that ends. Nothing reads it after that. */
export async function deletePlan(
  trx: Trx,
  { organization_id, _id }: { organization_id: string; _id: string },
): Promise<void> {
  await trx
    .deleteFrom('session_plan')
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', _id)
    .execute()
}

function* jsonOf(entries: PlanEntry[]): Generator<{ json: string }> {
  for (const entry of entries) yield { json: JSON.stringify(entry) }
}

export const entryColumns = [
  'organization_id',
  'session_id',
  'position',
  'offset_ms',
  'parent_position',
  'unless_answered',
  'conversation_id',
  'channel_id',
  'sender_id',
  'content',
  'kind',
  'beat',
  'expectation',
  'artefact',
  'conditions',
  'fallback_option',
  'acknowledges',
  'lapses',
] as const

interface DueFilters extends OfSession {
  next_position: number
  until: number
  limit: number
}

/**
 * The lines of a plan from `next_position` that are due at `until` on the clock, and the first line
 * after them. At most `limit` lines.
 */
export const selectDueEntries = prepare(
  'select_due_entries',
  (db, { organization_id, session_id, next_position, until, limit }: ParametersOf<DueFilters>) => {
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
      .select(entryColumns)
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .where('position', '>=', next_position)
      .where((eb) => eb('position', '<=', eb.fn.coalesce(later, sql<number>`2147483647`)))
      .orderBy('position')
      .limit(limit)
  },
)

export type StoredEntry = Awaited<ReturnType<typeof selectDueEntries>>[number]

/** The messages posted for some positions of the plan, and whether a participant has answered each. */
export function selectPosted(
  db: Db,
  { organization_id, session_id }: OfSession,
  positions: number[],
) {
  return db
    .selectFrom('session_messages as asked')
    .select((eb) => [
      'asked._id',
      'asked.plan_position',
      eb
        .exists(eb.selectFrom('session_messages as answer').select('answer.seq').where(isAnswer))
        .as('is_answered'),
    ])
    .where('asked.organization_id', '=', organization_id)
    .where('asked.session_id', '=', session_id)
    .where('asked.plan_position', 'in', positions)
    .execute()
}
