import { type Kysely, sql } from 'kysely'

const filters = ['category', 'event_type', 'status']

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_events')
    .addColumn('organization_id', 'uuid', (col) =>
      col.notNull().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('category', 'text', (col) => col.notNull())
    .addColumn('event_type', 'text', (col) => col.notNull())
    .addColumn('status', 'text', (col) => col.notNull().defaultTo('info'))
    .addColumn('actor_type', 'text')
    .addColumn('actor_id', 'text')
    .addColumn('case_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('conversation_id', 'text')
    .addColumn('channel_id', 'text')
    .addColumn('thread_id', 'text')
    .addColumn('metadata', 'jsonb', (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('audit_events_primary_key', ['organization_id', '_id'])
    .execute()

  await db.schema
    .createIndex('audit_events_newest_first')
    .on('audit_events')
    .columns(['organization_id', 'created_at desc', '_id desc'])
    .execute()
  for (const filter of filters) {
    await db.schema
      .createIndex(`audit_events_${filter}_newest_first`)
      .on('audit_events')
      .columns(['organization_id', filter, 'created_at desc', '_id desc'])
      .execute()
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('audit_events').execute()
}
