import { sql } from 'kysely'
import type { Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import { clock, type LockedSession, type SessionKey, sessionColumns } from '../queries.js'

const claimQuery = prepare(
  'claim_session',
  (db, { organization_id, _id }: ParametersOf<SessionKey>) =>
    db
      .selectFrom('simulation_sessions')
      .select([...sessionColumns, clock])
      .where('organization_id', '=', organization_id)
      .where('_id', '=', _id)
      .forNoKeyUpdate()
      .skipLocked(),
)

/** Locks a session to change it. Returns undefined while another transaction holds it. */
export async function claimSession(
  trx: Trx,
  { organization_id, _id }: SessionKey,
): Promise<LockedSession | undefined> {
  const [session] = await claimQuery(trx, { organization_id, _id })
  return session
}

interface Progress extends SessionKey {
  last_seq: number
  stored_bytes: number
  next_position: number
  posted: number
  withheld: number
  next_offset_ms: number | null
  next_due_at: string | null
  failures: number
  latest_at: string
}

/** Stores how far a session has got in its plan, when nothing else in its row changes. */
export const updatePosition = prepare(
  'update_session_position',
  (db, { organization_id, _id, ...position }: ParametersOf<Progress>) =>
    db
      .updateTable('simulation_sessions')
      .set(position)
      .where('organization_id', '=', organization_id)
      .where('_id', '=', _id),
)

/** How many due sessions one tick selects at most. */
const maxDue = 2_000

/**
 * Due sessions: first the longest waiting one of each organization, then the second one of each, and
 * so on. On a cluster each organization is numbered on its own node.
 */
export const selectDue = prepare('select_due_sessions', (db) =>
  db
    .selectFrom((db) =>
      db
        .selectFrom('simulation_sessions')
        .select(['organization_id', '_id', 'status', 'next_due_at'])
        .select(
          sql<number>`row_number() over (partition by organization_id order by next_due_at)`.as(
            'turn',
          ),
        )
        .where('next_due_at', '<=', sql<string>`now()`)
        .as('due'),
    )
    .select(['organization_id', '_id', 'status'])
    .where('turn', '<=', sql.lit(maxDue))
    .orderBy('turn')
    .orderBy('next_due_at')
    .limit(sql.lit(maxDue)),
)
