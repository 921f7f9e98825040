import type { Kysely } from 'kysely'

/** A session that starts looks for the experiments that have it in an arm. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const arm of ['control', 'intervention']) {
    await db.schema
      .createIndex(`experiments_by_${arm}_session`)
      .on('experiments')
      .using('gin')
      .column(`${arm}_session_ids`)
      .execute()
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const arm of ['control', 'intervention']) {
    await db.schema.dropIndex(`experiments_by_${arm}_session`).execute()
  }
}
