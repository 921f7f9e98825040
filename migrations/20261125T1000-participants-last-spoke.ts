import type { Kysely } from 'kysely'

/** When a participant last posted a message, so that a list of participants reads no messages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('session_assignments')
    .addColumn('last_spoke_at', 'timestamptz(3)')
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('session_assignments').dropColumn('last_spoke_at').execute()
}
