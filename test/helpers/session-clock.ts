import type { Kysely } from 'kysely'
import type { Database } from '../../src/database/schema.js'
import { until } from './until.js'

interface Session {
  _id: string
}

/** Moves the clocks of sessions by moving the instants from which they count. */
export function sessionClocksOf(db: Kysely<Database>) {
  const clockOf = ({ _id }: Session) =>
    db
      .selectFrom('simulation_sessions')
      .select(['status', 'anchor_at', 'latest_at', 'next_due_at'])
      .where('_id', '=', _id)
      .executeTakeFirstOrThrow()

  const isDue = ({ next_due_at }: { next_due_at: string | null }) =>
    next_due_at !== null && Date.parse(next_due_at) <= Date.now()

  async function moveClock(session: Session, ms: number): Promise<void> {
    const back = (time: string) => new Date(Date.parse(time) - ms).toISOString()
    // The engine may advance the session between the read and the write.
    await until(async () => {
      const { anchor_at, latest_at, next_due_at } = await clockOf(session)
      const { numUpdatedRows } = await db
        .updateTable('simulation_sessions')
        .set({ anchor_at: anchor_at && back(anchor_at), latest_at: latest_at && back(latest_at) })
        .set({ next_due_at: next_due_at && back(next_due_at) })
        .where('_id', '=', session._id)
        .where('next_due_at', 'is not distinct from', next_due_at)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    })
  }

  /** Moves a session's clock as if the service had been down for this number of minutes. */
  const miss = (session: Session, minutes: number) => moveClock(session, minutes * 60_000)

  /** Lets time pass for a running session without delays: everything is posted when it is due. */
  async function pass(session: Session, minutes: number): Promise<void> {
    for (let left = minutes * 60_000; left > 0; ) {
      const { status, next_due_at } = await clockOf(session)
      if (status !== 'running') return
      const untilDue = next_due_at === null ? left : Date.parse(next_due_at) - Date.now()
      const step = Math.max(0, Math.min(left, untilDue))
      await moveClock(session, step)
      left -= step
      if (left > 0) await until(async () => !isDue(await clockOf(session)))
    }
  }

  return { miss, pass }
}
