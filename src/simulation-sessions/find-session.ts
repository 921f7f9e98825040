import type { FastifyRequest } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import type { Role } from '../contract.js'
import type { Database } from '../database/schema.js'
import { waitBriefly } from '../database/short-waits.js'
import { notJoined, sessionNotFound } from '../errors.js'
import { isId } from '../identifiers.js'
import type { Caller } from '../identity/authenticator.js'
import { callerOf, scopeOf } from '../identity/caller.js'
import { isInCast } from './cast-queries.js'
import { type StoredAssignment, selectAssignment } from './participant-queries.js'
import type { LockedSession } from './queries.js'
import * as queries from './queries.js'

type Request = Pick<FastifyRequest, 'caller' | 'db' | 'server'> & { params: { session_id: string } }

/** What somebody is to a session. A trainer may take part as well, and has an assignment then. */
export interface Part {
  kind: 'trainer' | 'rater' | 'participant' | 'character'
  assignment: StoredAssignment | null
}

export interface FoundSession {
  session: LockedSession
  part: Part
}

/** The session that a path names. Throws 404 for one that the caller has no part in. */
export async function findSession(request: Request): Promise<FoundSession> {
  const { session_id } = request.params
  const { db } = request
  const session = isId(session_id)
    ? await queries.selectSession(db, scopeOf(request), session_id)
    : undefined
  return withPart(db, callerOf(request), session)
}

/**
 * The same, locked against another change until the transaction ends. Who waits only for a moment gets
 * a 409 `busy` after that.
 */
export async function lockSession(
  trx: Transaction<Database>,
  request: Request,
  wait: 'as usual' | 'for a moment' = 'as usual',
): Promise<FoundSession> {
  const { session_id: _id } = request.params
  if (!isId(_id)) throw sessionNotFound()
  const scope = scopeOf(request)
  const organization_id =
    scope === 'every organization'
      ? await queries.selectSessionOwner(trx, _id)
      : scope.organization_id
  if (!organization_id) throw sessionNotFound()
  const lock = () => queries.selectSessionForUpdate(trx, { organization_id, _id })
  const session = await (wait === 'as usual' ? lock() : waitBriefly(trx, lock))
  return withPart(trx, callerOf(request), session)
}

async function withPart(
  db: Kysely<Database>,
  caller: Caller,
  session: LockedSession | undefined,
): Promise<FoundSession> {
  const part = session && (await partOf(db, caller, session))
  if (!session || !part) throw sessionNotFound()
  return { session, part }
}

const leading: readonly Role[] = ['super_admin', 'admin', 'hr']

/** Whether somebody with this role leads all sessions of their organization. */
export const leads = (role: Role) => leading.includes(role)

/** Whether somebody with this role is a rater where they are named. */
export const rates = (role: Role) => role === 'executive'

/** What a caller is to a session of their organization; null when they have no part in it. */
export async function partOf(
  db: Kysely<Database>,
  { user_id, role }: Pick<Caller, 'user_id' | 'role'>,
  session: Pick<LockedSession, 'organization_id' | '_id' | 'rater_ids' | 'cast_ids'> &
    Pick<LockedSession, 'started_at' | 'scenario_name'>,
): Promise<Part | null> {
  const { organization_id, _id: session_id } = session
  if (role === 'bot') {
    const isCharacter = session.started_at
      ? session.cast_ids.includes(user_id)
      : await isInCast(db, organization_id, session.scenario_name, user_id)
    return isCharacter ? { kind: 'character', assignment: null } : null
  }
  const place = { organization_id, session_id, user_id }
  const assignment = (await selectAssignment(db, place)) ?? null
  if (leads(role)) return { kind: 'trainer', assignment }
  if (rates(role) && session.rater_ids.includes(user_id)) {
    return { kind: 'rater', assignment }
  }
  return assignment && { kind: 'participant', assignment }
}

/** Throws 409 where a participant has not agreed to take part, or has left. */
export function requireJoined({ kind, assignment }: Part): void {
  if (kind === 'participant' && !isIn(assignment)) throw notJoined()
}

export const isIn = (assignment: StoredAssignment | null) =>
  assignment !== null && assignment.joined_at !== null && assignment.left_at === null

/** Whether what only those who lead may know is for this part as well. */
export const seesAll = ({ kind }: Part) => kind === 'trainer' || kind === 'rater'
