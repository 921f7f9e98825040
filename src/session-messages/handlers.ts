import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import { EventStream, type Handler, JsonText, type Schema } from '../contract.js'
import { longestPage } from '../database/lists/lists.js'
import { PageText } from '../database/lists/page-text.js'
import { bySeq, linkToNext, linkWith, readCursor } from '../database/lists/pages.js'
import type { Db, Trx } from '../database/schema.js'
import { isId } from '../formats/identifiers.js'
import { callerOf, requireOrganization, tokenExpiryOf } from '../identity/caller.js'
import { insertMessages } from '../simulation-sessions/engine/message-queries.js'
import {
  type FoundSession,
  findSession,
  hasJoined,
  requireJoined,
  seesAll,
} from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { updateLastSeq } from '../simulation-sessions/progress-queries.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import { messageEvent } from '../simulation-sessions/session-events.js'
import { bytesOf } from '../simulation-sessions/stored-bytes.js'
import type { SessionPart } from '../simulation-sessions/team/part-queries.js'
import { updatePlace } from '../simulation-sessions/team/participant-queries.js'
import { withSession } from '../simulation-sessions/with-session.js'
import { requireWithinWordLimits } from '../simulation-sessions/word-limits.js'
import { refuseBeyond } from '../usage/require-limits.js'
import { allowedTo } from '../usage/reserve.js'
import { messageFor, messageText } from './message.js'
import { composeMessage, postedBefore } from './post.js'
import {
  type MessageFilters,
  type ShownMessage,
  selectMessages,
  selectMessageTexts,
} from './queries.js'

export const listSessionMessages: Handler<'listSessionMessages'> = async (request, reply) => {
  const { before = null, latest = null } = request.query
  const cursor = readCursor(request, bySeq)
  const after = Math.max(request.query.after ?? 0, Number(cursor?.seq ?? 0))
  const { conversation_id = null, thread_id = null } = request.query
  const limit = latest ?? request.query.limit ?? 100
  const { session, part } = await findSession(request)
  requireJoined(part)
  const ids = [conversation_id, thread_id]
  if (ids.some((id) => id !== null && !isId(id))) return []

  const { organization_id, _id: session_id } = session
  const scope = { organization_id, session_id, conversation_id, thread_id }
  const filters = { ...scope, after, before, latest: latest === null ? null : (true as const) }
  const rows = await selectTexts(request.db, part, { ...filters, limit: limit + 1 })
  const page = new PageText(longestPage)
  const hasMore = page.add(rows, limit) !== null
  const last = hasMore ? rows[page.count - 1] : undefined
  if (last) {
    const { originalUrl: url } = request
    const seq = String(last.seq)
    const toNext = latest === null
    reply.header('link', toNext ? linkToNext(url, { seq }) : linkWith(url, 'before', seq, 'prev'))
  }
  if (latest !== null) page.texts.reverse()
  return new JsonText<Schema<'SessionMessageList'>>(page.text)
}

/** Returns messages as JSON text, without what this part may not see. */
async function selectTexts(
  db: Db,
  part: SessionPart,
  filters: MessageFilters,
): Promise<{ seq: number; json: string }[]> {
  if (seesAll(part)) return selectMessageTexts(db, filters)
  const rows = await selectMessages(db, filters)
  return rows.map((row) => ({ seq: row.seq, json: messageText(false, row) }))
}

export const postSessionMessage: Handler<'postSessionMessage'> = async (request) => {
  const { user_id } = callerOf(request)
  const { message, part } = await withSession(request, (trx, found) => post(trx, request, found), {
    repeated: async (trx, { session, part }) => {
      const message = await postedBefore(trx, session, user_id, request.body)
      return message && { message, part }
    },
  })
  request.server.sessionStreams.wake(message.session_id)
  // The caller recognizes the message by it. For others it may be hidden.
  const { client_message_id } = message
  return { ...messageFor(seesAll(part), message), client_message_id }
}

async function post(
  trx: Trx,
  request: Parameters<typeof postSessionMessage>[0],
  { session, part }: FoundSession,
): Promise<{ message: ShownMessage; part: SessionPart }> {
  await requireMessageLimits(trx, request, session, part)
  const { user_id } = callerOf(request)
  const message = await composeMessage(trx, session, part, user_id, request.body)
  await insertMessages(trx, [message])
  const { organization_id, _id, now: latest_at } = session
  const adding = bytesOf([message])
  const stored_bytes = session.stored_bytes + adding
  await updateLastSeq(trx, { organization_id, _id, last_seq: message.seq, stored_bytes, latest_at })
  const { place } = part
  if (place && !message.injected) {
    const stored_bytes = place.stored_bytes + adding
    await updatePlace(trx, place, { last_spoke_at: message.posted_at, stored_bytes })
  }
  const { seq, injected, sender_id: as_character_id } = message
  const metadata = injected ? { seq, as_character_id } : { seq }
  const event_type = injected ? 'message_injected' : 'message_posted'
  await recordAuditEvents(trx, request, [messageEvent(session, event_type, message, { metadata })])
  return { message, part }
}

/** Throws 409 if the session would have too many messages, or a limit of `requireWithinWordLimits` is passed. */
async function requireMessageLimits(
  trx: Trx,
  request: Pick<FastifyRequest, 'caller' | 'server'> & {
    body: Schema<'NewSessionMessage'>
  },
  session: LockedSession,
  { place }: SessionPart,
): Promise<void> {
  const allowed = await request.server.usage.cachedLimits.of(trx, session.organization_id)
  const most = allowedTo(callerOf(request), allowed.session_messages)
  refuseBeyond('session_messages', session.last_seq, 1, most)
  requireWithinWordLimits(request, { allowed, session, place, adding: bytesOf([request.body]) })
}

export const streamSessionEvents: Handler<'streamSessionEvents'> = async (request, reply) => {
  const { session, part } = await findSession(request)
  requireJoined(part)
  const received = receivedBefore(String(request.headers['last-event-id']), session.last_seq)
  // An EventSource reopens a stream that has ended until it gets a 204.
  if (hasEnded(session.status) && received === session.last_seq) {
    reply.code(204)
    return undefined
  }
  const takesPart = hasJoined(part.place)
  const access = { kind: part.kind, seesAll: seesAll(part), takesPart }
  const reader = readerOf(request, access)
  const stream = request.server.sessionStreams.open(session, reader, received ?? 0)
  return new EventStream(stream.events(), () => stream.end())
}

/** The `seq` of the last message that a reader has. Null if the id is missing or beyond the end. */
function receivedBefore(id: string, last_seq: number): number | null {
  const seq = /^\d{1,15}$/.test(id) ? Number(id) : null
  return seq !== null && seq <= last_seq ? seq : null
}

export const streamEvents: Handler<'streamEvents'> = async (request) => {
  const caller = callerOf(request)
  const organization_id = request.query.organization_id || caller.organization_id
  await requireOrganization(request, organization_id)
  const access = { kind: 'trainer', seesAll: true, takesPart: false } as const
  const reader = readerOf(request, access)
  const stream = request.server.sessionStreams.openDesk(organization_id, reader)
  return new EventStream(stream.events(), () => stream.end())
}

function readerOf<Access>(request: FastifyRequest, access: Access) {
  const { network } = request
  return { ...callerOf(request), ...access, network, expiresAt: tokenExpiryOf(request) }
}
