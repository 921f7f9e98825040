import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/database/schema.js'

/**
 * Calls `run` while the database refuses every write to a table, either immediately or at the
 * commit. `run` receives the statuses with which the service may answer such a write: a cluster may
 * report a refused commit like a lost node.
 */
export async function whileBroken(
  db: Kysely<Database>,
  table: keyof Database,
  when: 'at once' | 'at commit',
  run: (statuses: readonly number[]) => Promise<void>,
): Promise<void> {
  await sql`
    create or replace function refuse() returns trigger language plpgsql
    as 'begin raise exception ''the disk of secrets is full''; end'
  `.execute(db)
  const on = sql.table(table)
  const trigger =
    when === 'at once'
      ? sql`create trigger refuse before insert or update on ${on}`
      : sql`create constraint trigger refuse after insert or update on ${on}
          deferrable initially deferred`
  await sql`${trigger} for each row execute function refuse()`.execute(db)
  try {
    await run(when === 'at commit' && process.env.TEST_CITUS_URL ? [500, 503] : [500])
  } finally {
    await sql`drop trigger refuse on ${on}`.execute(db)
  }
}
