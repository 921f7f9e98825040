import { sql } from 'kysely'
import type { Db } from '../schema.js'

/** How far the replica may be behind and still be used. */
export const maxLagMs = 5_000

/** As long as a request waits for a connection, because a busy primary is not away. */
const primaryTimeoutMs = 3_000
const replicaTimeoutMs = 1_000

/**
 * Returns a function that checks how fresh the replica is. It returns the moment, by this process's
 * clock, up to which the replica has all data of the primary. Each check notes where the primary's log
 * ends; the newest note that the replica has replayed is the result. So no clocks are compared, a
 * disconnected replica grows old, and the replica of an idle primary does not. Returns null if the
 * primary does not answer, which says nothing about the replica. Throws if the replica does not answer,
 * is too far behind, or is not a replica of the primary.
 */
export function createLagCheck(primary: Db, replica: Db): () => Promise<number | null> {
  let notes: { at: number; logEnd: number }[] = []
  return async () => {
    const at = performance.now()
    const source = await selectSource(primary).catch(() => null)
    if (!source) return null
    notes = [{ at, logEnd: source.logEnd }, ...notes.filter((note) => at - note.at <= maxLagMs)]
    const { replayed, ...copied } = await selectCopy(replica)
    if (copied.origin !== source.origin) {
      throw new Error('the replica is a copy of another database')
    }
    // After a failover the replica may still follow the old primary.
    if (replayed > source.logEnd && replayed > (await selectSource(primary)).logEnd) {
      throw new Error('the replica has replayed what the primary never wrote')
    }
    const newest = notes.find((note) => note.logEnd <= replayed)
    if (!newest) throw new Error(`the replica is more than ${maxLagMs / 1_000} s behind`)
    return newest.at
  }
}

/** Identifies a server and its standbys: they answer the same, every other server something else. */
const origin = sql<string>`system_identifier || ' ' || current_database()`

async function selectSource(primary: Db): Promise<{ origin: string; logEnd: number }> {
  const answer = sql<{ origin: string; log_end: number }>`
    select ${origin} as origin, (pg_current_wal_lsn() - '0/0')::bigint as log_end
    from pg_control_system()`.execute(primary)
  const { rows } = await within(primaryTimeoutMs, answer, 'the primary')
  return { origin: rows[0]?.origin ?? '', logEnd: rows[0]?.log_end ?? 0 }
}

async function selectCopy(replica: Db): Promise<{ origin: string; replayed: number }> {
  const answer = sql<{ origin: string; is_standby: boolean; replayed: number | null }>`
    select ${origin} as origin, pg_is_in_recovery() as is_standby,
      (pg_last_wal_replay_lsn() - '0/0')::bigint as replayed
    from pg_control_system()`.execute(replica)
  const { rows } = await within(replicaTimeoutMs, answer, 'the replica')
  const [{ origin: of, is_standby, replayed } = { origin: '', is_standby: false, replayed: null }] =
    rows
  if (!is_standby || replayed === null) throw new Error('the replica does not follow a primary')
  return { origin: of, replayed }
}

async function within<T>(ms: number, answer: Promise<T>, who: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${who} did not answer within ${ms} ms`)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
