import { sql } from 'kysely'
import type { Db } from '../../../database/schema.js'
import { type ParametersOf, prepare } from '../../../database/statements.js'
import type { OfSession, SessionKey } from '../../../simulation-sessions/queries.js'

/** A process whose lease is older counts as gone. */
const isThere = sql<boolean>`process.renewed_at > now() - interval '4 seconds'`

/** How many streams are open, and the sum of their beginnings in milliseconds. */
const streams = sql`count(*) filter (where ${isThere})`
const beginnings = sql`
  sum((extract(epoch from presence.since) * 1000)::bigint) filter (where ${isThere})`

/** Who is online in a session, as a text that is different after each change. */
const fingerprint = sql<string>`${streams} || ' ' || coalesce(${beginnings}, 0)`

const inSession = sql`over (partition by place.organization_id, place.session_id)`
const fingerprintOfSession = sql<string>`
  sum(${streams}) ${inSession} || ' ' || coalesce(sum(${beginnings}) ${inSession}, 0)`

interface Known {
  organization_ids: string[]
  ids: string[]
  /** The last known fingerprints; empty for a session of which nothing is known. */
  fingerprints: string[]
}

/** Returns the sessions in which a participant came online or went offline. */
export const selectChangedPresence = prepare(
  'select_changed_presence',
  (_db, known: ParametersOf<Known>) => sql<{ session_id: string; fingerprint: string }>`
    select known._id as session_id, ${fingerprint} as fingerprint
    from unnest(${known.organization_ids}::uuid[], ${known.ids}::uuid[],
      ${known.fingerprints}::text[]) as known (organization_id, _id, fingerprint)
    join simulation_sessions as session
      on session.organization_id = known.organization_id and session._id = known._id
    left join stream_presence as presence
      on presence.organization_id = session.organization_id and presence.session_id = session._id
    left join stream_processes as process on process.process_id = presence.process_id
    group by session.organization_id, known._id, known.fingerprint
    having known.fingerprint <> ${fingerprint}`,
)

/** Whether a participant is online, and since when; null if they have never been. */
export interface PlacePresence {
  session_id: string
  assignment_id: string
  user_id: string
  online: boolean
  since: string | null
  /** The fingerprint of the session at the same moment: a change just after it must not go unseen. */
  fingerprint: string
}

interface Sessions {
  organization_ids: string[]
  ids: string[]
}

const selectPlaces = prepare(
  'select_places_presence',
  (_db, { organization_ids, ids }: ParametersOf<Sessions>) => sql<PlacePresence>`
    select place.session_id, place._id as assignment_id, place.user_id,
      count(*) filter (where ${isThere}) > 0 as online,
      coalesce(min(presence.since) filter (where ${isThere}),
        greatest(place.last_online_at, max(process.renewed_at))) as since,
      ${fingerprintOfSession} as fingerprint
    from unnest(${organization_ids}::uuid[], ${ids}::uuid[]) as known (organization_id, _id)
    join session_assignments as place on place.organization_id = known.organization_id
      and place.session_id = known._id and place.removed_at is null
    left join stream_presence as presence on presence.organization_id = place.organization_id
      and presence.session_id = place.session_id and presence.user_id = place.user_id
    left join stream_processes as process on process.process_id = presence.process_id
    group by place.organization_id, place.session_id, place._id, place.user_id, place.last_online_at
    order by place.session_id, place._id`,
)

/** Returns the presence of all participants of some sessions, without those who were taken out. */
export function selectPresence(db: Db, sessions: SessionKey[]): Promise<PlacePresence[]> {
  return selectPlaces(db, {
    organization_ids: sessions.map(({ organization_id }) => organization_id),
    ids: sessions.map(({ _id }) => _id),
  })
}

/** Returns the presence of the participants of one session by their `assignment_id`. */
export async function presenceIn(
  db: Db,
  { organization_id, session_id }: OfSession,
): Promise<Map<string, Pick<PlacePresence, 'online' | 'since'>>> {
  const places = await selectPresence(db, [{ organization_id, _id: session_id }])
  return new Map(
    places.map(({ assignment_id, online, since }) => [assignment_id, { online, since }]),
  )
}
