import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { StoredMessage } from '../simulation-sessions/message-queries.js'
import type { LockedSession, SessionKey } from '../simulation-sessions/queries.js'
import { bytesOfMessage } from './history-queries.js'

/** What a stream tells of a session beside its messages, as of `now`. */
export type SessionState = Pick<
  LockedSession,
  'status' | 'speed' | 'anchor_at' | 'paused_at' | 'ended_at' | 'last_seq' | 'now'
>

export function stateOf(session: SessionState): SessionState {
  const { status, speed, anchor_at, paused_at, ended_at, last_seq, now } = session
  return { status, speed, anchor_at, paused_at, ended_at, last_seq, now }
}

/** How far somebody has got with a session. */
export interface Known extends SessionKey, Pick<SessionState, 'status' | 'speed' | 'anchor_at'> {
  head: number
}

/** How many messages of a session are kept for its readers at most, and read in one look. */
export const recentAtMost = 100
/** How many bytes of messages of a session at most. A long message alone may be more. */
export const recentBytes = 16_384
/** How many sessions one statement asks about at most. */
export const sessionsAtOnce = 200

export type News = SessionState & { of: string } & (StoredMessage | { seq: null })

/**
 * What is new in sessions: of each that has changed its state, once for each of its last new messages
 * that are short enough together, or once without one. Of several organizations, which a cluster joins
 * each on its own node.
 */
export async function selectNews(db: Kysely<Database>, known: readonly Known[]) {
  const column = <Name extends keyof Known>(name: Name) => known.map((one) => one[name])
  const rows = await newsQuery(db, {
    organization_ids: column('organization_id'),
    ids: column('_id'),
    heads: column('head'),
    statuses: column('status'),
    speeds: column('speed'),
    anchors: column('anchor_at'),
  })
  const bySession = new Map<string, News[]>()
  for (const row of rows) {
    const news = bySession.get(row.of)
    if (news) news.push(row)
    else bySession.set(row.of, [row])
  }
  return bySession
}

interface KnownColumns {
  organization_ids: string[]
  ids: string[]
  heads: number[]
  statuses: string[]
  speeds: number[]
  anchors: (string | null)[]
}

const newsQuery = prepare(
  'select_session_news',
  (_db, known: ParametersOf<KnownColumns>) => sql<News>`
    select * from (
      select session._id as of, session.status, session.speed, session.anchor_at, session.paused_at,
        session.ended_at, session.last_seq, clock_timestamp()::timestamptz(3) as now, message.*,
        ${bytesOfMessage} as own_bytes,
        sum(${bytesOfMessage}) over (
          partition by session.organization_id, session._id order by message.seq desc
        ) as all_bytes
      from unnest(${known.organization_ids}::uuid[], ${known.ids}::uuid[], ${known.heads}::bigint[],
        ${known.statuses}::text[], ${known.speeds}::integer[], ${known.anchors}::timestamptz[])
        as known (organization_id, _id, head, status, speed, anchor_at)
      join simulation_sessions as session
        on session.organization_id = known.organization_id and session._id = known._id
      left join session_messages as message
        on message.organization_id = session.organization_id and message.session_id = session._id
        and message.seq > greatest(known.head, session.last_seq - ${sql.lit(recentAtMost)})
      where session.last_seq > known.head
        or (session.status, session.speed, session.anchor_at)
          is distinct from (known.status, known.speed, known.anchor_at)
    ) as news
    where seq is null or all_bytes <= ${sql.lit(recentBytes)} or all_bytes = own_bytes
    order by of, seq`,
)
