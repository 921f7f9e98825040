import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import { afterPosition, linkToNext, readCursor } from '../database/lists/pages.js'
import type { Trx } from '../database/schema.js'
import { noteNotFound } from '../errors.js'
import { valueError } from '../faults.js'
import { createId, isId } from '../formats/identifiers.js'
import { callerOf } from '../identity/caller.js'
import { elapsedMs } from '../simulation-sessions/clock/clock.js'
import {
  type FoundSession,
  findSession,
  lockSession,
  requireObserver,
} from '../simulation-sessions/find-session.js'
import { addStoredBytes } from '../simulation-sessions/progress-queries.js'
import type { OfSession } from '../simulation-sessions/queries.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { bytesOf } from '../simulation-sessions/stored-bytes.js'
import { selectPeople } from '../simulation-sessions/team/participant-queries.js'
import { observerPseudonym } from '../simulation-sessions/team/pseudonyms.js'
import type { DefaultLimits } from '../usage/default-limits.js'
import { requireCountWithinLimit } from '../usage/require-limits.js'
import * as queries from './queries.js'

export const createSessionNote: Handler<'createSessionNote'> = async (request) => {
  const { user_id: author_id } = callerOf(request)
  const { content } = request.body
  const message_id = request.body.message_id || null
  return request.db.transaction().execute(async (trx) => {
    const found = await lockSession(trx, request)
    requireObserver(found)
    const { session } = found
    const key = { organization_id: session.organization_id, session_id: session._id }
    await requireMessage(trx, key, message_id)
    const note = {
      _id: createId(),
      session_id: key.session_id,
      author_id,
      content,
      message_id,
      elapsed_ms: elapsedMs(session, session.now),
      created_at: session.now,
    }
    const author_name = await storeNote(trx, request.server.usage.defaults, {
      ...note,
      organization_id: key.organization_id,
    })
    const metadata = { note_id: note._id, message_id }
    await recordAuditEvents(trx, request, [
      sessionEvent(session, 'session_note_created', { metadata }),
    ])
    return { ...note, author_name }
  })
}

/** Stores a note. Returns the name of its author. Throws 409 if the session has too many bytes of notes. */
async function storeNote(
  trx: Trx,
  defaults: DefaultLimits,
  note: queries.NewNote,
): Promise<string | null> {
  const { organization_id, author_id, content } = note
  // Locks the author, so that two first notes at the same time get one pseudonym.
  const [author] = await selectPeople(trx, organization_id, [author_id])
  const pseudonym = await observerPseudonym(trx, organization_id, author_id)
  const used = await queries.countNoteBytes(trx, note)
  const adding = bytesOf([{ content }])
  await requireCountWithinLimit(trx, defaults, organization_id, 'note_bytes', {
    used,
    adding,
  })
  await queries.insertNote(trx, { ...note, pseudonym })
  await addStoredBytes(trx, note, adding)
  return author?.full_name ?? null
}

/** Throws 422 if a note is about a message that the session does not have. */
async function requireMessage(trx: Trx, key: OfSession, message_id: string | null) {
  if (message_id === null) return
  if (isId(message_id) && (await queries.hasMessage(trx, key, message_id))) return
  throw valueError(['body', 'message_id'], 'unknown_message', 'is no message of the session')
}

export const listSessionNotes: Handler<'listSessionNotes'> = async (request, reply) => {
  const { limit } = request.query
  const found = await findSession(request)
  requireObserver(found)
  const page = await queries.selectNotePage(
    request.db,
    { ...visibleTo(found, callerOf(request).user_id), ...afterPosition(readCursor(request)) },
    limit,
  )
  if (page.last) reply.header('link', linkToNext(request.originalUrl, page.last))
  return page.rows
}

export const deleteSessionNote: Handler<'deleteSessionNote'> = async (request) => {
  const { note_id } = request.params
  await request.db.transaction().execute(async (trx) => {
    const found = await lockSession(trx, request)
    requireObserver(found)
    const visible = visibleTo(found, callerOf(request).user_id)
    const note = isId(note_id) ? await queries.deleteNote(trx, visible, note_id) : undefined
    if (!note) throw noteNotFound()
    await addStoredBytes(trx, note, -bytesOf([note]))
    const metadata = { note_id, author_id: note.author_id }
    await recordAuditEvents(trx, request, [
      sessionEvent(found.session, 'session_note_deleted', { metadata }),
    ])
  })
}

/** The notes that a caller sees: trainers all of the session, raters their own. */
function visibleTo({ session, part }: FoundSession, user_id: string) {
  const { organization_id, _id: session_id } = session
  return { organization_id, session_id, author_id: part.kind === 'trainer' ? null : user_id }
}
