import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import { jsonColumns } from '../database/expressions.js'
import { preparePage } from '../database/lists/lists.js'
import type { After } from '../database/lists/pages.js'
import type { Database, Db, Trx } from '../database/schema.js'
import type { ParametersOf } from '../database/statements.js'
import type { OfSession } from '../simulation-sessions/queries.js'
import { bytesOfRow } from '../simulation-sessions/stored-bytes.js'

type Table = Database['session_notes']
export type StoredNote = Selectable<Table>
export type NewNote = Omit<Insertable<Table>, 'pseudonym'>

export async function insertNote(trx: Trx, note: Insertable<Table>): Promise<void> {
  await trx.insertInto('session_notes').values(note).execute()
}

/** How many bytes all notes of a session have. */
export async function countNoteBytes(
  trx: Trx,
  { organization_id, session_id }: OfSession,
): Promise<number> {
  const { bytes } = await trx
    .selectFrom('session_notes')
    .select(
      sql<number>`coalesce(sum(octet_length(content) + ${bytesOfRow}), 0)::bigint`.as('bytes'),
    )
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .executeTakeFirstOrThrow()
  return bytes
}

interface Filters extends OfSession {
  /** Only the notes of this author; null for all authors. */
  author_id: string | null
}

const columns = [
  '_id',
  'session_id',
  'author_id',
  'content',
  'message_id',
  'elapsed_ms',
  'created_at',
] as const

/** The notes of a session with the names of their authors, the oldest first. */
export const selectNotePage = preparePage(
  'select_note_page',
  (db, values: ParametersOf<Filters & After>) => {
    const { organization_id, session_id, author_id, after_created_at, after_id } = values
    const later = sql<boolean>`(session_notes.created_at, session_notes._id) >
      (${after_created_at}, ${after_id})`
    const author_name = sql<string | null>`(select full_name from users
      where users.organization_id = ${organization_id} and users._id = session_notes.author_id)`
    return db
      .selectFrom('session_notes')
      .select([...jsonColumns('session_notes', columns), author_name.as('author_name')])
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .$if(author_id !== null, (query) => query.where(sql<boolean>`author_id = ${author_id}`))
      .$if(after_id !== null, (query) => query.where(later))
      .orderBy('session_notes.created_at')
      .orderBy('session_notes._id')
  },
  // A note may have 10,000 characters.
  { hasLongRows: true },
)

/** The notes of a session, the oldest first. */
export function selectNotes(
  db: Db,
  { organization_id, session_id }: OfSession,
): Promise<StoredNote[]> {
  return db
    .selectFrom('session_notes')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .orderBy('created_at')
    .orderBy('_id')
    .execute()
}

/** Deletes a note, if it is of this author or `author_id` is null. Returns the deleted note. */
export function deleteNote(
  trx: Trx,
  { organization_id, session_id, author_id }: Filters,
  _id: string,
): Promise<StoredNote | undefined> {
  return trx
    .deleteFrom('session_notes')
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('_id', '=', _id)
    .$if(author_id !== null, (query) => query.where('author_id', '=', author_id))
    .returningAll()
    .executeTakeFirst()
}

/** Whether a session has this message. */
export async function hasMessage(
  db: Db,
  { organization_id, session_id }: OfSession,
  message_id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('session_messages')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('_id', '=', message_id)
    .executeTakeFirst()
  return row !== undefined
}
