import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { isId } from '../identifiers.js'

type Db = Kysely<Database>

const senderColumns = ['_id', 'username', 'full_name', 'email', 'is_bot', 'is_active'] as const
export type Sender = Awaited<ReturnType<typeof selectUsers>>[number]

function selectUsers(db: Db, organization_id: string, column: '_id' | 'username', keys: string[]) {
  // One parameter, however many there are.
  const type = sql.raw(column === '_id' ? 'uuid[]' : 'text[]')
  return db
    .selectFrom('users')
    .select(senderColumns)
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`${sql.ref(column)} = any(${keys}::${type})`)
    .execute()
}

/** The users of an organization with these ids, by id. */
export async function selectSenders(db: Db, organization_id: string, ids: string[]) {
  const known = ids.filter(isId)
  const rows = known.length > 0 ? await selectUsers(db, organization_id, '_id', known) : []
  return new Map(rows.map((row) => [row._id, row]))
}

/** The users of an organization with these usernames, by username. */
export async function selectSendersByName(db: Db, organization_id: string, names: string[]) {
  const rows = names.length > 0 ? await selectUsers(db, organization_id, 'username', names) : []
  return new Map(rows.map((row) => [row.username, row]))
}
