import { type Kysely, sql } from 'kysely'

/** Filters that few events have, and how a channel meets the others: often, or hardly ever. */
const references = [
  ['actor_id'],
  ['request_id'],
  ['case_id'],
  ['conversation_id'],
  ['channel_id'],
  ['thread_id'],
  ['channel_id', 'category'],
  ['channel_id', 'event_type'],
  ['channel_id', 'status'],
]
const indexOf = (columns: string[]) => ['audit_events', ...columns, 'newest_first'].join('_')

/**
 * The text of an event, the chain over all of an organization's, and how long they are kept. What
 * belongs to an event has no foreign key: its check at each event would cost more than the row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('audit_events').addColumn('document', 'text').execute()
  for (const columns of references) {
    const [reference = ''] = columns
    const keys = ['organization_id', ...columns, 'created_at', '_id'].map((key) => sql.ref(key))
    await sql`
      create index ${sql.ref(indexOf(columns))} on audit_events (${sql.join(keys)})
      where ${sql.ref(reference)} is not null`.execute(db)
  }
  await db.schema
    .createTable('unsealed_events')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('event_id', 'uuid', (col) => col.notNull())
    .addPrimaryKeyConstraint('unsealed_events_primary_key', ['organization_id', 'event_id'])
    .execute()
  await db.schema
    .createTable('audit_seals')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('sequence', 'bigint', (col) => col.notNull())
    .addColumn('event_id', 'uuid', (col) => col.notNull())
    .addColumn('hash', 'bytea', (col) => col.notNull())
    .addPrimaryKeyConstraint('audit_seals_primary_key', ['organization_id', 'sequence'])
    .addUniqueConstraint('audit_seals_event_unique', ['organization_id', 'event_id'])
    .execute()
  await db.schema
    .createTable('audit_retentions')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('days', 'integer', (col) => col.notNull().defaultTo(365))
    .addColumn('pruned_to', 'bigint', (col) => col.notNull().defaultTo(0))
    .addColumn('pruned_hash', 'bytea')
    .addColumn('pruned_at', 'timestamptz(3)')
    .addPrimaryKeyConstraint('audit_retentions_primary_key', ['organization_id'])
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('audit_retentions').execute()
  await db.schema.dropTable('audit_seals').execute()
  await db.schema.dropTable('unsealed_events').execute()
  for (const columns of references) await db.schema.dropIndex(indexOf(columns)).execute()
  await db.schema.alterTable('audit_events').dropColumn('document').execute()
}
