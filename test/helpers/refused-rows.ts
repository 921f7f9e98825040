import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/database/schema.js'

type Table = 'session_plan' | 'session_messages'

/**
 * Makes the database refuse new rows of one session in a table, until the returned function is
 * called.
 */
export async function refuseRows(
  db: Kysely<Database>,
  table: Table,
  session_id: string,
  errcode = 'P0001',
): Promise<() => Promise<void>> {
  const name = sql.ref(`refuse_${session_id.replaceAll('-', '_')}`)
  await sql`
    create function ${name}() returns trigger language plpgsql
    as ${sql.lit(`begin
      if new.session_id = '${session_id}' then
        raise exception 'the disk of secrets is full' using errcode = '${errcode}';
      end if;
      return new;
    end`)}`.execute(db)
  const on = sql.table(table)
  await sql`create trigger ${name} before insert on ${on} for each row execute function ${name}()`.execute(
    db,
  )
  return async () => {
    await sql`drop trigger ${name} on ${on}`.execute(db)
  }
}
