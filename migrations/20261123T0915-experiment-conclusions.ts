import type { Kysely } from 'kysely'

/** How the arms are going to be compared, and what came of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('experiments')
    .addColumn('analysis_plan', 'jsonb')
    .addColumn('conclusion', 'jsonb')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('experiments')
    .dropColumn('analysis_plan')
    .dropColumn('conclusion')
    .execute()
}
