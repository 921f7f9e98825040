import { type Kysely, sql } from 'kysely'

/**
 * Keeps with a participant's message which messages it is the first to answer: those before it in its
 * thread that ask something and had no answer yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('session_messages')
    .addColumn('answers', sql`text[]`, (col) => col.notNull().defaultTo(sql`'{}'`))
    .execute()
  await db.schema
    .createIndex('session_messages_by_participants')
    .on('session_messages')
    .columns(['organization_id', 'session_id', 'thread_id', 'seq'])
    .where(sql.ref('sender_kind'), '=', sql.lit('participant'))
    .execute()
  await sql`
    update session_messages as answer set answers = first.answers
    from (
      select organization_id, session_id, seq, array_agg(asked_id::text order by asked_seq) as answers
      from (
        select asked.organization_id, asked.session_id, asked._id as asked_id,
          asked.seq as asked_seq, min(later.seq) as seq
        from session_messages as asked
        join session_messages as later on later.organization_id = asked.organization_id
          and later.session_id = asked.session_id
          and later.thread_id = coalesce(asked.thread_id, asked._id)
          and later.seq > asked.seq and later.sender_kind = 'participant'
        where asked.expectation is not null
        group by asked.organization_id, asked.session_id, asked._id, asked.seq
      ) as answered
      group by organization_id, session_id, seq
    ) as first
    where first.organization_id = answer.organization_id
      and first.session_id = answer.session_id and first.seq = answer.seq`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema.dropIndex('session_messages_by_participants').execute()
  await db.schema.alterTable('session_messages').dropColumn('answers').execute()
}
