import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../../contract.js'
import type { Database, Db, Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import { maxAcknowledgements } from '../plan/acknowledgements.js'
import { entryColumns } from '../plan/queries.js'
import type { OfSession } from '../queries.js'

export type StoredDecision = Selectable<Database['session_decisions']>

type Asked = Omit<
  StoredDecision,
  'status' | 'option' | 'made_by' | 'on_behalf' | 'reason' | `ended_${string}`
>

const insertAsked = prepare(
  'insert_session_decision',
  (
    db,
    { options, decided_by, ...row }: ParametersOf<Omit<Asked, 'options'> & { options: string }>,
  ) =>
    db.insertInto('session_decisions').values({
      ...row,
      options: sql<Schema<'DecisionOption'>[]>`${options}::jsonb`,
      decided_by: sql<string[]>`${decided_by}::text[]`,
    }),
)

/** Stores that a decision was asked for. */
export async function insertDecision(trx: Trx, { options, ...row }: Asked): Promise<void> {
  await insertAsked(trx, { ...row, options: JSON.stringify(options) })
}

const columns = [
  'organization_id',
  'session_id',
  'beat',
  'message_id',
  'conversation_id',
  'question',
  'options',
  'decided_by',
  'fallback_option',
  'asked_at',
  'asked_offset_ms',
  'deadline_offset_ms',
  'status',
  'option',
  'made_by',
  'on_behalf',
  'reason',
  'ended_at',
  'ended_offset_ms',
  'ended_seq',
] as const

/** The decisions that a session has asked for, in the order of asking. */
export const selectDecisions = prepare(
  'select_session_decisions',
  (db, { organization_id, session_id }: ParametersOf<OfSession>) =>
    db
      .selectFrom('session_decisions')
      .select(columns)
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .orderBy('asked_offset_ms')
      .orderBy('beat'),
)

/** How a decision ended, in the columns of its row. */
type End = Pick<
  StoredDecision,
  'status' | 'option' | 'ended_at' | 'ended_offset_ms' | 'ended_seq'
> &
  Partial<Pick<StoredDecision, 'made_by' | 'on_behalf' | 'reason'>>

/** Stores how an open decision ended. */
export async function endDecision(
  trx: Trx,
  { organization_id, session_id }: OfSession,
  beat: string,
  end: End,
): Promise<StoredDecision> {
  return trx
    .updateTable('session_decisions')
    .set(end)
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('beat', '=', beat)
    .where('status', '=', 'open')
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Lets all open decisions of a session lapse without an option. Returns their beats. */
export async function lapseOpen(
  trx: Trx,
  { organization_id, session_id }: OfSession,
  end: { ended_at: string; ended_offset_ms: number },
): Promise<string[]> {
  const rows = await trx
    .updateTable('session_decisions')
    .set({ ...end, status: 'lapsed' })
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('status', '=', 'open')
    .returning('beat')
    .execute()
  return rows.map(({ beat }) => beat).sort()
}

/** How many decisions of a session were asked for, made by people, and lapsed. */
export function countDecisions(db: Db, { organization_id, session_id }: OfSession) {
  const countOf = (status: StoredDecision['status']) =>
    sql<number>`(count(*) filter (where status = ${status}))::integer`
  return db
    .selectFrom('session_decisions')
    .select([
      sql<number>`count(*)::integer`.as('decisions_asked'),
      countOf('decided').as('decisions_made'),
      countOf('lapsed').as('decisions_lapsed'),
    ])
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .executeTakeFirstOrThrow()
}

/** The acknowledgements of a decision, with their replies, in the order of the plan. */
export const selectAcknowledgements = prepare(
  'select_acknowledgements',
  (db, { organization_id, session_id, beat }: ParametersOf<OfSession & { beat: string }>) =>
    db
      .selectFrom('session_plan')
      .select(entryColumns)
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .where('acknowledges', '=', beat)
      .orderBy('position')
      .limit(sql.lit(maxAcknowledgements)),
)
