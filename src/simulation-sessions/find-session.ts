import type { FastifyRequest } from 'fastify'
import type { Db, Trx } from '../database/schema.js'
import { selectOwner } from '../database/scope.js'
import { waitBriefly } from '../database/short-waits.js'
import { insufficientRole, notJoined, sessionNotFound } from '../errors.js'
import { isId } from '../formats/identifiers.js'
import type { Caller } from '../identity/authenticator.js'
import { callerOf, scopeOf } from '../identity/caller.js'
import { leadingRoles } from '../identity/roles.js'
import type { LockedSession, SessionKey } from './queries.js'
import * as queries from './queries.js'
import { type SessionPart, selectPart } from './team/part-queries.js'
import type { StoredPlace } from './team/participant-queries.js'

type Request = Pick<FastifyRequest, 'caller' | 'db' | 'server'> & { params: { session_id: string } }

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

/** The part of a caller in a session of their organization; null if they have none. */
async function partOf(
  db: Db,
  { user_id, role, seat }: Pick<Caller, 'user_id' | 'role' | 'seat'>,
  { organization_id, _id: session_id }: SessionKey,
): Promise<SessionPart | null> {
  const part = await selectPart(db, { organization_id, session_id, user_id, role })
  // After the place of a seat was deleted, its user may have another one.
  return seat && seat.assignment_id !== part?.place?._id ? null : part
}

/** Throws 409 if a participant has not joined, or has left. */
export function requireJoined({ kind, place }: SessionPart): void {
  if (kind === 'participant' && !hasJoined(place)) throw notJoined()
}

export const hasJoined = (place: StoredPlace | null) =>
  place !== null && place.joined_at !== null && place.left_at === null

/** Throws 403 for executives who only take part: they must not see how they are observed and rated. */
export function requireObserver({ part }: FoundSession): void {
  if (!seesAll(part)) throw insufficientRole(leadingRoles)
}

/** Whether this part may see what is hidden from participants and characters. */
export const seesAll = ({ kind }: SessionPart) => kind === 'trainer' || kind === 'rater'
