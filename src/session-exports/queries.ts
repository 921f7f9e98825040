import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Database, Db } from '../database/schema.js'
import type { OfSession } from '../simulation-sessions/queries.js'

/** The limits of one read. A message beyond `maxBytes` is read alone. */
const maxMessages = 500
export const maxBytes = 524_288

/** About how many bytes a message has without its content. */
const bytesOfFields = 500

interface MessageRange extends OfSession {
  after: number
  to: number
}

const columns = [
  'seq',
  '_id',
  'conversation_id',
  'thread_id',
  'sender_id',
  'sender_kind',
  'injected',
  'content',
  'kind',
  'beat',
  'artefact',
  'decides',
  'offset_ms',
  'posted_at',
] as const

export type ExportedMessage = Pick<
  Selectable<Database['session_messages']>,
  (typeof columns)[number]
>

/** The next messages of a session up to `to`: at least one, and at most as many as the limits allow. */
export function selectMessages(
  db: Db,
  { organization_id, session_id, after, to }: MessageRange,
): Promise<ExportedMessage[]> {
  const next = db
    .selectFrom('session_messages')
    .select(columns)
    .select(
      sql<number>`${sql.lit(bytesOfFields)} + octet_length(content)
        + coalesce(octet_length(artefact::text), 0)`.as('own_bytes'),
    )
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('seq', '>', after)
    .where('seq', '<=', to)
    .orderBy('seq')
    .limit(maxMessages)
  const measured = db
    .selectFrom(next.as('next'))
    .selectAll()
    .select(sql<number>`sum(own_bytes) over (order by seq)`.as('all_bytes'))
  return db
    .selectFrom(measured.as('measured'))
    .select(columns)
    .where(sql<boolean>`all_bytes <= ${maxBytes} or all_bytes = own_bytes`)
    .orderBy('seq')
    .execute()
}

/** The names of users by id. */
export async function selectNames(
  db: Db,
  organization_id: string,
  user_ids: string[],
): Promise<Map<string, string | null>> {
  const rows = await db
    .selectFrom('users')
    .select(['_id', 'full_name'])
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${user_ids}::uuid[])`)
    .execute()
  return new Map(rows.map(({ _id, full_name }) => [_id, full_name]))
}

export interface Pause {
  paused_at: string
  /** Null if the session did not go on. */
  resumed_at: string | null
}

/** The pauses of a session, from the audit trail. */
export function selectPauses(db: Db, { organization_id, session_id }: OfSession): Promise<Pause[]> {
  const changes = db
    .selectFrom('audit_events')
    .select(['event_type', 'created_at as paused_at', '_id'])
    .select(sql<string | null>`lead(created_at) over (order by created_at, _id)`.as('resumed_at'))
    .where('organization_id', '=', organization_id)
    .where('category', '=', 'simulation_session')
    .where('case_id', '=', session_id)
    .where('event_type', 'in', ['session_paused', 'session_resumed'])
  return db
    .selectFrom(changes.as('change'))
    .select(['paused_at', 'resumed_at'])
    .where('event_type', '=', 'session_paused')
    .orderBy('paused_at')
    .orderBy('_id')
    .execute()
}
