import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import { EventStream, type Handler, JsonText, type Schema } from '../contract.js'
import { linkWith } from '../database/pages.js'
import type { Database } from '../database/schema.js'
import { isId } from '../identifiers.js'
import { callerOf, tokenExpiryOf } from '../identity/caller.js'
import { caughtUp, inSteps } from '../simulation-sessions/catch-up.js'
import {
  findSession,
  lockSession,
  type Part,
  requireJoined,
  seesAll,
} from '../simulation-sessions/find-session.js'
import {
  insertMessages,
  pageBytes,
  type StoredMessage,
  selectMessages,
} from '../simulation-sessions/message-queries.js'
import { updateAssignment } from '../simulation-sessions/participant-queries.js'
import { type LockedSession, updateProgress } from '../simulation-sessions/queries.js'
import { messageEvent } from '../simulation-sessions/session-events.js'
import { refuseBeyond } from '../usage/room.js'
import { messageFor, messageText } from './message.js'
import { composeMessage, postedBefore } from './post.js'

export const listSessionMessages: Handler<'listSessionMessages'> = async (request, reply) => {
  const { after = 0, before = null, latest = null } = request.query
  const { conversation_id = null, thread_id = null } = request.query
  const limit = latest ?? request.query.limit ?? 100
  const { session, part } = await findSession(request)
  requireJoined(part)
  const ids = [conversation_id, thread_id]
  if (ids.some((id) => id !== null && !isId(id))) return []

  const { organization_id, _id: session_id } = session
  const place = { organization_id, session_id, conversation_id, thread_id }
  const filters = { ...place, after, before, latest: latest === null ? null : (true as const) }
  // Not from a replica: whoever posts reads at once.
  const rows = await selectMessages(request.db, { ...filters, limit: limit + 1 })
  const texts = pageOf(rows.slice(0, limit), (row) => messageText(seesAll(part), row))
  const last = rows.length > texts.length ? rows[texts.length - 1] : undefined
  if (latest !== null) texts.reverse()
  const [rel, parameter] =
    latest === null ? (['next', 'after'] as const) : (['prev', 'before'] as const)
  if (last) reply.header('link', linkWith(request.originalUrl, parameter, String(last.seq), rel))
  return new JsonText<Schema<'SessionMessageList'>>(`[${texts.join()}]`)
}

/** As many messages as fit into a page, and the one that fills it. */
function pageOf(rows: StoredMessage[], textOf: (row: StoredMessage) => string): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const row of rows) {
    if (bytes >= pageBytes) break
    const text = textOf(row)
    texts.push(text)
    bytes += Buffer.byteLength(text)
  }
  return texts
}

export const postSessionMessage: Handler<'postSessionMessage'> = async (request) => {
  const { db, server } = request
  const { message, part } = await inSteps(() =>
    db.transaction().execute((trx) => post(trx, request)),
  )
  server.sessionStreams.wake(message.session_id)
  // By it a bot knows its own again, which others may not see.
  const { client_message_id } = message
  return { ...messageFor(seesAll(part), message), client_message_id }
}

/** Posts a message, unless more is due before it than one transaction posts; then null. */
async function post(
  trx: Transaction<Database>,
  request: Parameters<typeof postSessionMessage>[0],
): Promise<{ message: StoredMessage; part: Part } | null> {
  const { body } = request
  const { user_id } = callerOf(request)
  const { session: locked, part } = await lockSession(trx, request)
  const before = await postedBefore(trx, locked, user_id, body)
  if (before) return { message: before, part }

  const session = await caughtUp(trx, request, locked)
  if (!session) return null
  await requireRoomFor(trx, request, session)
  const message = await composeMessage(trx, session, part, user_id, body)
  await insertMessages(trx, [message])
  await updateProgress(trx, session, { last_seq: message.seq })
  const { assignment } = part
  if (assignment && !message.injected) {
    await updateAssignment(trx, assignment, { last_spoke_at: message.posted_at })
  }
  const { seq, injected, sender_id: as_character_id } = message
  const metadata = injected ? { seq, as_character_id } : { seq }
  const event_type = injected ? 'message_injected' : 'message_posted'
  await recordAuditEvents(trx, request, [messageEvent(session, event_type, message, { metadata })])
  return { message, part }
}

/**
 * Throws 409 where a session has no room for another message, or the caller none in this minute.
 * Asks for no number: the locked row has that of the messages, and this process counts the minute.
 */
async function requireRoomFor(
  trx: Transaction<Database>,
  request: Pick<FastifyRequest, 'caller' | 'server'>,
  { organization_id, _id: session_id, last_seq }: LockedSession,
): Promise<void> {
  const { allowances, messageRates } = request.server.quotas
  const allowed = await allowances.of(trx, organization_id)
  refuseBeyond('session_messages', last_seq, 1, allowed.session_messages)
  const { user_id } = callerOf(request)
  messageRates.take(session_id, user_id, allowed.participant_messages_per_minute)
}

export const streamSessionEvents: Handler<'streamSessionEvents'> = async (request) => {
  const { session, part } = await findSession(request)
  requireJoined(part)
  const id = String(request.headers['last-event-id'])
  const after = /^\d{1,15}$/.test(id) ? Number(id) : 0
  const place = { kind: part.kind, seesAll: seesAll(part) }
  const reader = { ...callerOf(request), ...place, expiresAt: tokenExpiryOf(request) }
  const stream = request.server.sessionStreams.open(session, reader, after)
  return new EventStream(stream.events(), () => stream.end())
}
