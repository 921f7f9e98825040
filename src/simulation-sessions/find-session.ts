import type { FastifyRequest } from 'fastify'
import type { Role } from '../contract.js'
import type { Db, Trx } from '../database/schema.js'
import { selectOwner } from '../database/scope.js'
import { waitBriefly } from '../database/short-waits.js'
import { insufficientRole, notJoined, sessionNotFound } from '../errors.js'
import { isId } from '../formats/identifiers.js'
import type { Caller } from '../identity/authenticator.js'
import { callerOf, scopeOf } from '../identity/caller.js'
import { leads } from '../identity/roles.js'
import type { LockedSession } from './queries.js'
import * as queries from './queries.js'
import { isInCast } from './team/cast-queries.js'
import { type StoredAssignment, selectAssignment } from './team/participant-queries.js'

type Request = Pick<FastifyRequest, 'caller' | 'db' | 'server'> & { params: { session_id: string } }

/** The role of a caller in a session. A trainer who takes part has an assignment too. */
export interface SessionPart {
  kind: 'trainer' | 'rater' | 'participant' | 'character'
  assignment: StoredAssignment | null
}

export interface FoundSession {
  session: LockedSession
  part: SessionPart
}

/** Finds the session in the path. Throws 404 if the caller has no part in it. */
export async function findSession(request: Request): Promise<FoundSession> {
  const { session_id: _id } = request.params
  const { db } = request
  const session = isId(_id) ? await queries.selectSession(db, scopeOf(request), _id) : undefined
  return withPart(db, callerOf(request), session)
}

export type Wait = 'as usual' | 'for a moment'

/**
 * Finds the session in the path and locks it until the transaction ends. With `for a moment` it waits
 * briefly for the lock and then throws 409 `busy`.
 */
export async function lockSession(
  trx: Trx,
  request: Request,
  wait: Wait = 'as usual',
): Promise<FoundSession> {
  const { session_id: _id } = request.params
  if (!isId(_id)) throw sessionNotFound()
  const organization_id = await selectOwner(trx, 'simulation_sessions', scopeOf(request), _id)
  if (!organization_id) throw sessionNotFound()
  const lock = () => queries.selectSessionForUpdate(trx, { organization_id, _id })
  const session = await (wait === 'as usual' ? lock() : waitBriefly(trx, lock))
  return withPart(trx, callerOf(request), session)
}

async function withPart(
  db: Db,
  caller: Caller,
  session: LockedSession | undefined,
): Promise<FoundSession> {
  const part = session && (await partOf(db, caller, session))
  if (!session || !part) throw sessionNotFound()
  return { session, part }
}

/** Whether users with this role can be raters of a session. */
export const rates = (role: Role) => role === 'executive'

/** The part of a caller in a session of their organization; null if they have none. */
export async function partOf(
  db: Db,
  { user_id, role, seat }: Pick<Caller, 'user_id' | 'role' | 'seat'>,
  session: Pick<LockedSession, 'organization_id' | '_id' | 'rater_ids' | 'cast_ids'> &
    Pick<LockedSession, 'started_at' | 'scenario_name'>,
): Promise<SessionPart | null> {
  const { organization_id, _id: session_id } = session
  if (role === 'bot') {
    const isCharacter = session.started_at
      ? session.cast_ids.includes(user_id)
      : await isInCast(db, organization_id, session.scenario_name, user_id)
    return isCharacter ? { kind: 'character', assignment: null } : null
  }
  const key = { organization_id, session_id, user_id }
  const assignment = (await selectAssignment(db, key)) ?? null
  // After the place of a seat was deleted, its user may have another one.
  if (seat && seat.assignment_id !== assignment?._id) return null
  if (leads(role)) return { kind: 'trainer', assignment }
  if (rates(role) && session.rater_ids.includes(user_id)) {
    return { kind: 'rater', assignment }
  }
  return assignment && { kind: 'participant', assignment }
}

/** Throws 409 if a participant has not joined, or has left. */
export function requireJoined({ kind, assignment }: SessionPart): void {
  if (kind === 'participant' && !hasJoined(assignment)) throw notJoined()
}

export const hasJoined = (assignment: StoredAssignment | null) =>
  assignment !== null && assignment.joined_at !== null && assignment.left_at === null

/** Throws 403 for executives who only take part: they must not see how they are observed and rated. */
export function requireObserver({ part }: FoundSession): void {
  if (!seesAll(part)) throw insufficientRole(['super_admin', 'admin', 'hr'])
}

/** Whether this part may see what is hidden from participants and characters. */
export const seesAll = ({ kind }: SessionPart) => kind === 'trainer' || kind === 'rater'
