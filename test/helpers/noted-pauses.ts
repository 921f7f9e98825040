import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/database/schema.js'

/** How long a session pauses after a failed try, in seconds from two instants. */
interface Pause {
  /** From the start of the transaction that stored it. */
  longest: number
  /** From the statement that stored it. */
  shortest: number
}

/**
 * Makes the database note the pause of each session after a failed try. Returns a function that returns
 * the pauses of a session in their order.
 */
export async function notePauses(db: Kysely<Database>) {
  await sql`
    create table noted_pauses (session_id uuid, failures integer, longest float, shortest float)
    `.execute(db)
  await sql`
    create function note_pause() returns trigger language plpgsql as ${sql.lit(`begin
      insert into noted_pauses values (new._id, new.failures,
        extract(epoch from new.next_due_at - now()),
        extract(epoch from new.next_due_at - clock_timestamp()));
      return new;
    end`)}`.execute(db)
  await sql`
    create trigger note_pause before update on simulation_sessions for each row
      when (new.failures > old.failures and new.next_due_at is not null)
      execute function note_pause()`.execute(db)
  return async (session_id: string): Promise<Pause[]> => {
    const { rows } = await sql<Pause>`
      select longest, shortest from noted_pauses
      where session_id = ${session_id} order by failures`.execute(db)
    return rows
  }
}
