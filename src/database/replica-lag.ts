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
 * not. Throws for a replica that is away, too old or nobody's replica.
 */
export function createLook(primary: Db, replica: Db): () => Promise<number> {
  let notes: { at: number; logEnd: number }[] = []
  return async () => {
    const at = performance.now()
    const logEnd = await selectLogEnd(primary)
    notes = [{ at, logEnd }, ...notes.filter((note) => at - note.at <= mostLagMs)]
    const replayed = await selectReplayed(replica)
    // After a failover it may still follow the server that the primary has replaced.
    if (replayed > logEnd && replayed > (await selectLogEnd(primary))) {
      throw new Error('it has replayed what the primary never wrote')
    }
    const newest = notes.find((note) => note.logEnd <= replayed)
    if (!newest) throw new Error(`it is more than ${mostLagMs / 1_000} s behind`)
    return newest.at
  }
}

async function selectLogEnd(primary: Db): Promise<number> {
  const end = sql<{ log_end: number }>`
    select (pg_current_wal_lsn() - '0/0')::bigint as log_end`.execute(primary)
  const { rows } = await within(primaryAnswersWithinMs, end, 'the primary')
  return rows[0]?.log_end ?? 0
}

async function selectReplayed(replica: Db): Promise<number> {
  const state = sql<{ is_standby: boolean; replayed: number | null }>`
    select pg_is_in_recovery() as is_standby,
      (pg_last_wal_replay_lsn() - '0/0')::bigint as replayed`.execute(replica)
  const { rows } = await within(replicaAnswersWithinMs, state, 'the replica')
  const [{ is_standby, replayed } = { is_standby: false, replayed: null }] = rows
  if (!is_standby || replayed === null) throw new Error('it does not follow a primary')
  return replayed
}

async function within<T>(ms: number, answer: Promise<T>, who: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${who} did not answer within ${ms} ms`)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
