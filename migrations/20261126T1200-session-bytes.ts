import { type Kysely, sql } from 'kysely'

/**
 * How many bytes each session stores, so that they can be summed up unread: `plan_bytes` of its plan, and
 * `stored_bytes` of all else. From now on a plan is deleted with the end of its session.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot change a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('simulation_sessions')
    .addColumn('plan_bytes', 'bigint', (col) => col.notNull().defaultTo(0))
    .addColumn('stored_bytes', 'bigint', (col) => col.notNull().defaultTo(0))
    .execute()
  await sql`
    delete from session_plan using simulation_sessions as session
    where session.organization_id = session_plan.organization_id
      and session._id = session_plan.session_id
      and session.status in ('completed', 'cancelled')`.execute(db)
  await sql`
    update simulation_sessions set stored_bytes = octet_length(scenario::text)
      + octet_length(conversations::text) + octet_length(warnings::text)
    where scenario is not null`.execute(db)
  const texts = ['content', 'kind', 'beat', 'expectation::text']
  const ofPlan = ['conditions::text', 'fallback_option', 'acknowledges', 'lapses']
  await addBytes(db, 'session_plan', 'plan_bytes', [...texts, ...ofPlan])
  const ofMessages = ['decides::text', 'client_message_id']
  await addBytes(db, 'session_messages', 'stored_bytes', [...texts, ...ofMessages])
  await addBytes(db, 'trainer_messages', 'stored_bytes', ['content', 'client_message_id'])
  await addBytes(db, 'session_notes', 'stored_bytes', ['content'])
  await addBytes(db, 'session_ratings', 'stored_bytes', ['value::text', 'comment'])
  await addBytes(db, 'own_ratings', 'stored_bytes', ['"values"::text', 'comment'])
}

/** Adds the bytes of texts to the sessions that have them, and 300 for each row and its indexes. */
async function addBytes(db: Kysely<unknown>, table: string, column: string, texts: string[]) {
  const lengths = texts.map((text) => sql.raw(`coalesce(octet_length(${text}), 0)`))
  await sql`
    update simulation_sessions set ${sql.ref(column)} = ${sql.ref(column)} + part.bytes
    from (
      select organization_id, session_id, sum(300 + ${sql.join(lengths, sql` + `)}) as bytes
      from ${sql.table(table)} group by organization_id, session_id
    ) as part
    where simulation_sessions.organization_id = part.organization_id
      and simulation_sessions._id = part.session_id`.execute(db)
}

/** The plans of sessions that have ended are gone. No earlier version needs them. */
export async function down(db: Kysely<unknown>): Promise<void> {
  // A cluster that changes many shards at once cannot drop a function after that.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(db)
  await db.schema
    .alterTable('simulation_sessions')
    .dropColumn('plan_bytes')
    .dropColumn('stored_bytes')
    .execute()
}
