import { type Handler, JsonText, type Schema } from '../contract.js'
import { longestPage } from '../database/lists/lists.js'
import { PageText } from '../database/lists/page-text.js'
import { bySeq, defaultPageSize, linkToNext, readCursor } from '../database/lists/pages.js'
import { leftUntil, reachedAt } from '../simulation-sessions/clock/clock.js'
import { findSession, requireJoined } from '../simulation-sessions/find-session.js'
import { isRunning } from '../simulation-sessions/lifecycle.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import { type StoredExpectation, selectExpectations } from './queries.js'

export const listExpectations: Handler<'listExpectations'> = async (request, reply) => {
  const { limit = defaultPageSize, status = null } = request.query
  const after = Math.max(request.query.after ?? 0, Number(readCursor(request, bySeq)?.seq ?? 0))
  const { session, part } = await findSession(request)
  requireJoined(part)
  const { organization_id, _id: session_id } = session
  const filters = { organization_id, session_id, after, status, limit: limit + 1 }
  const rows = await selectExpectations(request.db, filters)
  const page = new PageText(longestPage)
  const texts = rows.map((row) => ({ json: JSON.stringify(expectationOf(session, row)) }))
  if (page.add(texts, limit) !== null) {
    const last = rows[page.count - 1]
    reply.header('link', linkToNext(request.originalUrl, { seq: String(last?.seq) }))
  }
  return new JsonText<Schema<'SessionExpectationList'>>(page.text)
}

function expectationOf(
  session: LockedSession,
  { expectation, due_offset_ms, ...row }: StoredExpectation,
): Schema<'SessionExpectation'> {
  const { message_id, seq, conversation_id, thread_id, asked_by, asked_at } = row
  const { status, answered_by, answered_message_id, answered_at, answered_late } = row
  const { act, options, deadline_minutes } = expectation
  // While the clock is stopped, the time of a deadline is unknown.
  const isDue = isRunning(session) && status !== 'answered'
  const isWaiting = !isRunning(session) && status === 'open'
  return {
    message_id,
    seq,
    conversation_id,
    thread_id,
    asked_by,
    asked_at,
    act,
    options,
    deadline_minutes,
    due_at: isDue ? reachedAt(session.anchor_at, due_offset_ms, session.speed) : null,
    left_ms: isWaiting ? leftUntil(session, due_offset_ms) : null,
    status,
    answered_by,
    answered_message_id,
    answered_at,
    answered_late,
  }
}
