import { type Kysely, sql } from 'kysely'

const pairs = [
  ['category', 'event_type'],
  ['category', 'status'],
  ['event_type', 'status'],
]

/**
 * Two values that are common by themselves may hardly ever meet: walking the index of either one to
 * find the few events with both would take longer the more events there are. The statistics tell
 * the planner which pair of three filters is the rare one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const pair of pairs) {
    await db.schema
      .createIndex(`audit_events_${pair.join('_')}_newest_first`)
      .on('audit_events')
      .columns(['organization_id', ...pair, 'created_at desc', '_id desc'])
      .execute()
  }
  await sql`
    create statistics audit_events_filters (mcv)
    on organization_id, category, event_type, status from audit_events`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop statistics audit_events_filters`.execute(db)
  for (const pair of pairs) {
    await db.schema.dropIndex(`audit_events_${pair.join('_')}_newest_first`).execute()
  }
}
