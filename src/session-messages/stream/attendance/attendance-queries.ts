import { sql } from 'kysely'
import type { Db, Trx } from '../../../database/schema.js'
import { type ParametersOf, prepare } from '../../../database/statements.js'

interface OfProcess {
  process_id: string
}

/** Renews the lease of a process. Returns the present time, or no row if another process has removed it. */
export const renewLease = prepare(
  'renew_stream_lease',
  (_db, { process_id }: ParametersOf<OfProcess>) => sql<{ now: string }>`
    update stream_processes set renewed_at = now() where process_id = ${process_id}
    returning renewed_at as now`,
)

export const insertLease = prepare(
  'insert_stream_lease',
  (_db, { process_id }: ParametersOf<OfProcess>) => sql<{ now: string }>`
    insert into stream_processes (process_id, renewed_at) values (${process_id}, now())
    on conflict (process_id) do update set renewed_at = excluded.renewed_at
    returning renewed_at as now`,
)

export const deleteLease = prepare(
  'delete_stream_lease',
  (_db, { process_id }: ParametersOf<OfProcess>) =>
    sql`delete from stream_processes where process_id = ${process_id}`,
)

/** Participants with streams in a process, and since when or until when. */
export interface Readings extends OfProcess {
  organization_ids: string[]
  session_ids: string[]
  user_ids: string[]
  times: string[]
}

export const insertPresent = prepare(
  'insert_present_readers',
  (_db, given: ParametersOf<Readings>) => sql`
    insert into stream_presence (organization_id, session_id, user_id, process_id, since)
    select organization_id, session_id, user_id, ${given.process_id}::uuid, since
    from unnest(${given.organization_ids}::uuid[], ${given.session_ids}::uuid[],
      ${given.user_ids}::uuid[], ${given.times}::timestamptz[])
      as reader (organization_id, session_id, user_id, since)
    on conflict (organization_id, session_id, user_id, process_id)
      do update set since = excluded.since`,
)

/**
 * Removes participants of an organization whose last stream has closed, and keeps when that was. Locks the
 * places sorted by id, so that two processes cannot deadlock.
 */
export async function removePresent(
  db: Db,
  organization_id: string,
  given: Readings,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockPlaces(trx, organization_id, given)
    await updateLastOnline(trx, given)
    await deletePresent(trx, given)
  })
}

async function lockPlaces(
  trx: Trx,
  organization_id: string,
  { session_ids, user_ids }: Readings,
): Promise<void> {
  await trx
    .selectFrom('session_assignments')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`session_id = any(${session_ids}::uuid[])`)
    .where(sql<boolean>`user_id = any(${user_ids}::uuid[])`)
    .orderBy('_id')
    .forNoKeyUpdate()
    .execute()
}

const readersOf = (given: ParametersOf<Readings>) => sql`
  unnest(${given.organization_ids}::uuid[], ${given.session_ids}::uuid[], ${given.user_ids}::uuid[],
    ${given.times}::timestamptz[]) as reader (organization_id, session_id, user_id, at)`

const updateLastOnline = prepare(
  'update_last_online',
  (_db, given: ParametersOf<Readings>) => sql`
    update session_assignments as place set last_online_at = greatest(last_online_at, reader.at)
    from ${readersOf(given)}
    where place.organization_id = reader.organization_id
      and place.session_id = reader.session_id and place.user_id = reader.user_id`,
)

const deletePresent = prepare(
  'delete_present_readers',
  (_db, given: ParametersOf<Readings>) => sql`
    delete from stream_presence as presence using ${readersOf(given)}
    where presence.organization_id = reader.organization_id
      and presence.session_id = reader.session_id and presence.user_id = reader.user_id
      and presence.process_id = ${given.process_id}`,
)

/** Removes what processes have left that were gone a minute ago, and keeps when they were last there. */
export async function removeLeftovers(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Another process that does the same waits here, and then finds none.
    const { rows } = await sql<{ process_id: string; renewed_at: string }>`
      delete from stream_processes where renewed_at < now() - interval '1 minute'
      returning process_id, renewed_at`.execute(trx)
    if (rows.length === 0) return
    const process_ids = rows.map(({ process_id }) => process_id)
    const times = rows.map(({ renewed_at }) => renewed_at)
    await sql`
      update session_assignments as place
      set last_online_at = greatest(last_online_at, gone.renewed_at)
      from stream_presence as presence
      join unnest(${process_ids}::uuid[], ${times}::timestamptz[]) as gone (process_id, renewed_at)
        on gone.process_id = presence.process_id
      where place.organization_id = presence.organization_id
        and place.session_id = presence.session_id and place.user_id = presence.user_id`.execute(
      trx,
    )
    await sql`
      delete from stream_presence where process_id = any(${process_ids}::uuid[])`.execute(trx)
  })
}
