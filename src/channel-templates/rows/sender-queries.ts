import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import { isId } from '../../formats/identifiers.js'

const senderColumns = ['_id', 'username', 'full_name', 'email', 'is_bot', 'is_active'] as const
export type Sender = Awaited<ReturnType<typeof selectUsers>>[number]

interface Options {
  /** `key share` keeps the users from being deleted until the transaction ends. */
  lock?: 'key share'
}

function selectUsers(
  db: Db,
  organization_id: string,
  column: '_id' | 'username',
  keys: string[],
  { lock }: Options,
) {
  // One parameter for any number of keys.
  const type = sql.raw(column === '_id' ? 'uuid[]' : 'text[]')
  return db
    .selectFrom('users')
    .select(senderColumns)
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`${sql.ref(column)} = any(${keys}::${type})`)
    .orderBy('_id')
    .$if(lock === 'key share', (query) => query.forKeyShare())
    .execute()
}

/** The users of an organization with these ids, as a map by id. */
export async function selectSenders(
  db: Db,
  organization_id: string,
  ids: string[],
  options: Options = {},
) {
  const known = ids.filter(isId)
  if (known.length === 0) return new Map<string, Sender>()
  const rows = await selectUsers(db, organization_id, '_id', known, options)
  return new Map(rows.map((row) => [row._id, row]))
}

/** The users of an organization with these usernames, as a map by username. */
export async function selectSendersByName(db: Db, organization_id: string, names: string[]) {
  if (names.length === 0) return new Map<string, Sender>()
  const rows = await selectUsers(db, organization_id, 'username', names, {})
  return new Map(rows.map((row) => [row.username, row]))
}

/** The senders in the templates of an organization, except the given templates. */
export async function selectSpeakers(
  db: Db,
  organization_id: string,
  template_ids: string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ sender: string }>`
    select distinct jsonb_object_keys(sender_ids) as sender
    from channel_templates
    where organization_id = ${organization_id} and _id <> all(${template_ids}::uuid[])`.execute(db)
  return new Set(rows.map(({ sender }) => sender))
}
