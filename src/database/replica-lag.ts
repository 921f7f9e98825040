import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './schema.js'

type Db = Kysely<Database>

/** How far the replica may be behind and still be read. */
export const mostLagMs = 5_000

/** As long as a request waits for a connection to the primary: one that is busy is not away. */
const primaryAnswersWithinMs = 3_000
const replicaAnswersWithinMs = 1_000

/**
 * Gives a function that looks how fresh the replica is: it tells the moment, by this process's own
 * clock, up to which the replica has all that the primary had. Each look notes where the primary's
 * log ends, and the newest note that the replica has replayed is the answer. So no two clocks are
 * compared, a replica that is cut off grows old, and one of a primary on which nobody writes does
 * not. Null when the primary did not answer: of the replica that says nothing. Throws for a replica
 * that is away, too old or nobody's replica.
 */
export function createLook(primary: Db, replica: Db): () => Promise<number | null> {
  let notes: { at: number; logEnd: number }[] = []
  return async () => {
    const at = performance.now()
    const source = await selectSource(primary).catch(() => null)
    if (!source) return null
    notes = [{ at, logEnd: source.logEnd }, ...notes.filter((note) => at - note.at <= mostLagMs)]
    const { replayed, ...copied } = await selectCopy(replica)
    if (copied.origin !== source.origin) {
      throw new Error('the replica is a copy of another database')
    }
    // After a failover it may still follow the server that the primary has replaced.
    if (replayed > source.logEnd && replayed > (await selectSource(primary)).logEnd) {
      throw new Error('the replica has replayed what the primary never wrote')
    }
    const newest = notes.find((note) => note.logEnd <= replayed)
    if (!newest) throw new Error(`the replica is more than ${mostLagMs / 1_000} s behind`)
    return newest.at
  }
}

/** What a server and its standbys have in common, and others have not. */
const origin = sql<string>`system_identifier || ' ' || current_database()`

async function selectSource(primary: Db): Promise<{ origin: string; logEnd: number }> {
  const answer = sql<{ origin: string; log_end: number }>`
    select ${origin} as origin, (pg_current_wal_lsn() - '0/0')::bigint as log_end
    from pg_control_system()`.execute(primary)
  const { rows } = await within(primaryAnswersWithinMs, answer, 'the primary')
  return { origin: rows[0]?.origin ?? '', logEnd: rows[0]?.log_end ?? 0 }
}

async function selectCopy(replica: Db): Promise<{ origin: string; replayed: number }> {
  const answer = sql<{ origin: string; is_standby: boolean; replayed: number | null }>`
    select ${origin} as origin, pg_is_in_recovery() as is_standby,
      (pg_last_wal_replay_lsn() - '0/0')::bigint as replayed
    from pg_control_system()`.execute(replica)
  const { rows } = await within(replicaAnswersWithinMs, answer, 'the replica')
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
