import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import {
  alreadyDecided,
  decisionLapsed,
  decisionNotOpen,
  insufficientRole,
  notYoursToDecide,
  sessionNotRunning,
} from '../errors.js'
import { valueError } from '../faults.js'
import { callerOf } from '../identity/caller.js'
import { leadingRoles } from '../identity/roles.js'
import { type StoredDecision, selectDecisions } from '../simulation-sessions/decisions/queries.js'
import { type FoundSession, hasJoined, requireJoined } from '../simulation-sessions/find-session.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import type { SessionPart } from '../simulation-sessions/team/part-queries.js'
import { postDecision } from './post-decision.js'

type Choice = Schema<'DecisionChoice'>
type Request = Pick<FastifyRequest, 'id' | 'caller' | 'db' | 'server'> & {
  params: { session_id: string; beat: string }
  body: Choice
}

interface Decided {
  session: LockedSession
  decision: StoredDecision
}

/** Returns the decision if the caller has made the same one before. */
export async function decidedBefore(
  trx: Trx,
  request: Request,
  { session, part }: FoundSession,
): Promise<Decided | undefined> {
  requireJoined(part)
  const before = await findDecision(trx, session, request.params.beat)
  const { user_id } = callerOf(request)
  return before && isSame(before, user_id, request.body) ? { session, decision: before } : undefined
}

/** Makes a decision of a locked session. Nothing is due in it, so a deadline that has passed wins. */
export async function decide(
  trx: Trx,
  request: Request,
  { session, part }: FoundSession,
): Promise<Decided> {
  const { body, params } = request
  const { user_id } = callerOf(request)
  const decisions = await decisionsOf(trx, session)
  const decision = decisions.find(({ beat }) => beat === params.beat)
  if (!decision) throw decisionNotOpen()
  requireDecider(part, decision, body)
  requireOption(decision, body)
  if (decision.status === 'decided') throw alreadyDecided(endOf(decision))
  if (decision.status === 'lapsed') throw decisionLapsed(endOf(decision))
  if (session.status !== 'running') throw sessionNotRunning(session.status)

  const { events, ...posted } = await postDecision(trx, session, part, decisions, decision, {
    ...body,
    user_id,
  })
  await recordAuditEvents(trx, request, events)
  return posted
}

const decisionsOf = (trx: Trx, { organization_id, _id: session_id }: LockedSession) =>
  selectDecisions(trx, { organization_id, session_id })

async function findDecision(trx: Trx, session: LockedSession, beat: string) {
  return (await decisionsOf(trx, session)).find((one) => one.beat === beat)
}

const isSame = (
  { status, option, made_by, on_behalf }: StoredDecision,
  user_id: string,
  body: Choice,
) =>
  status === 'decided' &&
  option === body.option &&
  made_by === user_id &&
  on_behalf === body.on_behalf

/** Throws 403 if the caller may not make this decision, or not on behalf of others. */
function requireDecider(
  { kind, place }: SessionPart,
  { decided_by }: StoredDecision,
  { on_behalf }: Choice,
): void {
  if (on_behalf) {
    if (kind !== 'trainer') throw insufficientRole(leadingRoles)
    return
  }
  const isOpenToAll = decided_by.length === 0
  const hasRole = decided_by.some((role_key) => role_key === place?.role_key)
  if (hasJoined(place) && (isOpenToAll || hasRole)) return
  throw notYoursToDecide(decided_by, kind === 'trainer')
}

function requireOption({ options }: StoredDecision, { option }: Choice): void {
  const known = options.map((one) => one.option)
  if (known.includes(option)) return
  const message = `is no option of this decision; it has: ${known.join(', ')}`
  throw valueError(['body', 'option'], 'unknown_option', message)
}

function endOf(decision: StoredDecision): Schema<'DecisionMade'> {
  const { beat, status, option, made_by, on_behalf, reason } = decision
  return { beat, status, option, made_by, on_behalf, reason }
}
