import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.js'

/**
 * The column by which each table is distributed over the nodes of a Citus cluster; null if every node has
 * a copy. Tables that foreign keys refer to come first. All rows of an organization are on the same node.
 */
export const distribution: Record<keyof Database, '_id' | 'organization_id' | 'email' | null> = {
  organizations: '_id',
  brandings: 'organization_id',
  organization_limits: 'organization_id',
  consent_texts: 'organization_id',
  users: 'organization_id',
  credentials: 'organization_id',
  login_sessions: 'organization_id',
  refresh_tokens: 'organization_id',
  invitations: 'organization_id',
  password_resets: 'organization_id',
  email_verifications: 'organization_id',
  ended_links: 'organization_id',
  api_keys: 'organization_id',
  audit_events: 'organization_id',
  unsealed_events: 'organization_id',
  audit_seals: 'organization_id',
  audit_retentions: 'organization_id',
  blueprint_setups: 'organization_id',
  quick_setups: 'organization_id',
  characters: 'organization_id',
  channel_templates: 'organization_id',
  experiments: 'organization_id',
  simulation_sessions: 'organization_id',
  session_plan: 'organization_id',
  session_messages: 'organization_id',
  session_assignments: 'organization_id',
  seat_links: 'organization_id',
  session_ratings: 'organization_id',
  own_ratings: 'organization_id',
  session_notes: 'organization_id',
  session_decisions: 'organization_id',
  trainer_messages: 'organization_id',
  stream_presence: 'organization_id',
  stream_processes: null,
  email_registry: 'email',
  attempts: 'email',
}

/** All tables. Every node has a copy of Kysely's own, so that the service can start on any node. */
const allTables: [string, string | null][] = [
  ...Object.entries(distribution),
  ['kysely_migration', null],
  ['kysely_migration_lock', null],
]

/** The table with which others are colocated, by the column by which they are distributed. */
const leaders: Record<string, string> = {
  _id: 'organizations',
  organization_id: 'organizations',
  email: 'email_registry',
}

/** Returns how many nodes have tables. Throws if the database is not the coordinator of a cluster. */
export async function countNodes<T>(db: Kysely<T>): Promise<number> {
  if (!(await hasCitus(db))) {
    throw new Error(
      'The database has no Citus. Add citus to shared_preload_libraries, and run ' +
        '"create extension citus" in this database on the coordinator and on every worker.',
    )
  }
  const { rows } = await sql`
    select from pg_dist_node where shouldhaveshards and isactive`.execute(db)
  if (rows.length === 0) {
    throw new Error(
      'The cluster has no node for tables. Run "select citus_set_coordinator_host(…)" and, for ' +
        'each worker, "select citus_add_node(…)" on the coordinator.',
    )
  }
  if (await isOnWorker(db)) {
    throw new Error('The database is on a worker. Name the coordinator instead.')
  }
  return rows.length
}

/** Whether the database is on a worker. The schema is changed on the coordinator only. */
export async function isOnWorker<T>(db: Kysely<T>): Promise<boolean> {
  if (!(await hasCitus(db))) return false
  const { rows } = await sql<{ is_worker: boolean }>`
    select not citus_is_coordinator() and exists (select from pg_dist_node) as is_worker`.execute(
    db,
  )
  return rows[0]?.is_worker ?? false
}

/** Whether none, some or all of the tables are distributed. */
export async function progressOf<T>(db: Kysely<T>): Promise<'none' | 'some' | 'all'> {
  if (!(await hasCitus(db))) return 'none'
  const distributed = await selectDistributed(db)
  if (allTables.every(([table]) => distributed.has(table))) return 'all'
  return distributed.has('organizations') ? 'some' : 'none'
}

async function hasCitus<T>(db: Kysely<T>): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Returns the column by which each table is distributed; null if every node has a copy. */
async function selectDistributed<T>(db: Kysely<T>): Promise<Map<string, string | null>> {
  // Citus can also manage tables that are on the coordinator alone.
  const { rows } = await sql<{ name: string; key: string | null }>`
    select logicalrelid::text as name, column_to_column_name(logicalrelid, partkey) as key
    from pg_dist_partition where partmethod <> 'n' or repmodel = 't'`.execute(db)
  return new Map(rows.map(({ name, key }) => [name, key]))
}

/**
 * Distributes the remaining tables with their rows, one after the other. If it is stopped, the next call
 * continues. Calls `onDistributed` after each table. Throws if a table is distributed differently.
 */
export async function distributeTables<T>(
  db: Kysely<T>,
  onDistributed: (table: string, column: string | null) => void = () => {},
): Promise<void> {
  for (const [table, column] of allTables) {
    const isNew = await db.transaction().execute((trx) => distributeTable(trx, table, column))
    if (isNew) onDistributed(table, column)
  }
}

async function distributeTable<T>(trx: Kysely<T>, table: string, column: string | null) {
  // If several processes start at once, one distributes and the others wait.
  await sql`select pg_advisory_xact_lock(hashtext('distribute_tables'))`.execute(trx)
  // Citus requires this for triggers. Ours read only rows of their own shard.
  await sql`set local citus.enable_unsafe_triggers to on`.execute(trx)
  const present = (await selectDistributed(trx)).get(table)
  if (present === column) return false
  if (present !== undefined) {
    throw new Error(
      `${table} is distributed by ${present ?? 'copies'}, not by ${column ?? 'copies'}.`,
    )
  }
  const leader = leaders[column ?? ''] ?? 'none'
  const beside = leader === table ? 'none' : leader
  const call =
    column === null
      ? sql`create_reference_table(${table})`
      : sql`create_distributed_table(${table}, ${column}, colocate_with => ${beside})`
  await sql`select ${call}`.execute(trx)
  return true
}

/** Deletes the local rows that a table had before it was distributed: Citus only hides them. */
export async function removeHiddenRows<T>(db: Kysely<T>): Promise<void> {
  for (const [table] of allTables) {
    const { rows } = await sql`
      select where pg_table_size(${table}::regclass) > 0`.execute(db)
    if (rows.length === 0) continue
    await db.transaction().execute(async (trx) => {
      // The shards have the rows, so no audit event is lost.
      await sql`set local audit.retention to on`.execute(trx)
      await sql`select truncate_local_data_after_distributing_table(${table}::regclass)`.execute(
        trx,
      )
    })
  }
}
