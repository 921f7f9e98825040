import { sql } from 'kysely'
import { groupsOf } from '../../../database/groups.js'
import type { Db } from '../../../database/schema.js'
import { type ParametersOf, prepare } from '../../../database/statements.js'
import {
  type LockedSession,
  presentIn,
  type SessionKey,
} from '../../../simulation-sessions/queries.js'
import type { ShownMessage } from '../../queries.js'
import { bytesOfMessage, messageColumns } from './message-pages.js'

/** The state of a session that streams send beside its messages, as of `now`. */
export type SessionState = Pick<
  LockedSession,
  | ('name' | 'status' | 'speed' | 'anchor_at' | 'paused_at' | 'ended_at' | 'last_seq')
  | ('lapsed_beats' | 'team_seq' | 'trainer_seq' | 'now')
>

export function stateOf(session: SessionState): SessionState {
  const { name, status, speed, anchor_at, paused_at, ended_at, last_seq } = session
  const { lapsed_beats, team_seq, trainer_seq, now } = session
  const clock = { speed, anchor_at, paused_at, ended_at }
  return { name, status, ...clock, last_seq, lapsed_beats, team_seq, trainer_seq, now }
}

/** Whether two states of a session have the same status and the same clock. */
export const hasSameClock = (a: SessionState, b: SessionState) =>
  a.status === b.status && a.anchor_at === b.anchor_at && a.speed === b.speed

/** How far this process knows a session. A query for changes returns what came after it. */
export interface SessionCursor
  extends SessionKey,
    Pick<SessionState, 'status' | 'speed' | 'anchor_at'> {
  /** The `seq` of the last known message. */
  head: number
  /** The number of the last known change of the team. */
  team_seq: number
  /** The number of the last known private word. */
  trainer_seq: number
}

/** How many recent messages of a session are kept at most, and returned by one query. */
export const maxRecentMessages = 100
/** How many bytes of recent messages are kept at most. One long message may have more. */
export const maxRecentBytes = 16_384
export const sessionBatchSize = 200

/** The state of a changed session, with one new message or none. */
export type ChangeRow = SessionState & { of: string } & (ShownMessage | { seq: null })

/**
 * Returns the sessions that changed after their cursors: one row for each new message, or one row
 * without a message. If there are too many new messages, it returns only the latest. The sessions may
 * be of several organizations; a cluster joins each organization on its own node.
 */
export async function selectChanges(db: Db, cursors: readonly SessionCursor[]) {
  const column = <Name extends keyof SessionCursor>(name: Name) =>
    cursors.map((cursor) => cursor[name])
  const rows = await changesQuery(db, {
    organization_ids: column('organization_id'),
    ids: column('_id'),
    heads: column('head'),
    team_seqs: column('team_seq'),
    trainer_seqs: column('trainer_seq'),
    statuses: column('status'),
    speeds: column('speed'),
    anchors: column('anchor_at'),
  })
  return groupsOf(rows, ({ of }) => of)
}

interface CursorColumns {
  organization_ids: string[]
  ids: string[]
  heads: number[]
  team_seqs: number[]
  trainer_seqs: number[]
  statuses: string[]
  speeds: number[]
  anchors: (string | null)[]
}

const changesQuery = prepare(
  'select_session_changes',
  (_db, known: ParametersOf<CursorColumns>) => sql<ChangeRow>`
    select * from (
      select session._id as of, session.name, session.status, session.speed, session.anchor_at,
        session.paused_at, session.ended_at, session.last_seq, session.lapsed_beats, session.team_seq,
        session.trainer_seq, ${presentIn('session')} as now, ${messageColumns},
        ${bytesOfMessage} as own_bytes,
        sum(${bytesOfMessage}) over (
          partition by session.organization_id, session._id order by message.seq desc
        ) as all_bytes
      from unnest(${known.organization_ids}::uuid[], ${known.ids}::uuid[], ${known.heads}::bigint[],
        ${known.team_seqs}::bigint[], ${known.trainer_seqs}::bigint[], ${known.statuses}::text[],
        ${known.speeds}::integer[], ${known.anchors}::timestamptz[])
        as known (organization_id, _id, head, team_seq, trainer_seq, status, speed, anchor_at)
      join simulation_sessions as session
        on session.organization_id = known.organization_id and session._id = known._id
      left join session_messages as message
        on message.organization_id = session.organization_id and message.session_id = session._id
        and message.seq > greatest(known.head, session.last_seq - ${sql.lit(maxRecentMessages)})
      where session.last_seq > known.head or session.team_seq > known.team_seq
        or session.trainer_seq > known.trainer_seq
        or (session.status, session.speed, session.anchor_at)
          is distinct from (known.status, known.speed, known.anchor_at)
    ) as changes
    where seq is null or all_bytes <= ${sql.lit(maxRecentBytes)} or all_bytes = own_bytes
    order by of, seq`,
)
