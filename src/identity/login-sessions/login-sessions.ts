import type { FastifyInstance } from 'fastify'
import type { Role, Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { createId } from '../../formats/identifiers.js'
import type { Config } from '../../process/config.js'
import { createOpaqueToken, type OpaqueToken } from '../opaque-token.js'
import type { Seat } from '../seats.js'
import * as queries from './login-session-queries.js'

export interface SessionUser {
  _id: string
  organization_id: string
  username: string
  role: Role
}

/** Starts a session for a user who has authenticated, perhaps bound to a seat. Returns its tokens. */
export async function startLoginSession(
  trx: Trx,
  { tokens, config }: Pick<FastifyInstance, 'tokens' | 'config'>,
  user: SessionUser,
  seat: Seat | null = null,
): Promise<Schema<'TokenGrant'>> {
  const { session, refreshToken } = createLoginSession(config, user, seat)
  const { organization_id, _id: session_id } = session
  await queries.insertSession(trx, session)
  const { hash: token_hash } = refreshToken
  await queries.insertRefreshToken(trx, { organization_id, session_id, token_hash })
  return tokens.grant(user, session, refreshToken)
}

/** A session with its first refresh token. */
export function createLoginSession(
  { refreshTokenTtl }: Pick<Config, 'refreshTokenTtl'>,
  { _id: user_id, organization_id }: Pick<SessionUser, '_id' | 'organization_id'>,
  seat: Seat | null = null,
) {
  const expires_at = new Date(Date.now() + refreshTokenTtl * 1000).toISOString()
  const session = {
    organization_id,
    _id: createId(),
    user_id,
    expires_at,
    simulation_session_id: seat?.session_id ?? null,
    assignment_id: seat?.assignment_id ?? null,
  }
  return { session, refreshToken: createOpaqueToken(organization_id) }
}

interface Renewal {
  grant: Schema<'TokenGrant'> | null
  /** The user of the session, if the token was used too long ago: it may have been stolen. */
  reusedBy: (SessionUser & { session_id: string }) | null
  /** Whether another device has taken the seat of the session. */
  isTakenOver: boolean
}

/**
 * Exchanges a refresh token for its successor (rotation: RFC 9700, 4.14.2). A repeat within ten seconds gets
 * the same successor. A later one gets another, if the successor was never used: the answer was lost. Then
 * the unused one ends, so that a thief and the owner cannot both go on. Any other repeat is a reuse, and
 * gets no grant. An unknown token and one of an ended session get no grant either.
 */
export async function rotateRefreshToken(
  trx: Trx,
  { tokens }: Pick<FastifyInstance, 'tokens'>,
  token: OpaqueToken,
): Promise<Renewal> {
  const found = await queries.selectRefreshTokenForUpdate(trx, token)
  if (!found) {
    const isTakenOver = (await queries.selectEndOfLogin(trx, token)) === 'seat_taken_over'
    return { grant: null, reusedBy: null, isTakenOver }
  }
  const { organization_id, session_id, is_used, is_late, lost_successors } = found
  if (is_late) {
    const isLost = await queries.endUnusedToken(trx, tokens.successorOf(token, lost_successors))
    if (!isLost) return { grant: null, reusedBy: found, isTakenOver: false }
  }

  const lost = lost_successors + (is_late ? 1 : 0)
  const successor = tokens.successorOf(token, lost)
  if (!is_used || is_late) {
    await queries.markRefreshTokenUsed(trx, token, lost)
    const { hash: token_hash } = successor
    await queries.insertRefreshToken(trx, { organization_id, session_id, token_hash })
  }
  const { expires_at, assignment_id } = found
  const session = { _id: session_id, expires_at, assignment_id }
  return { grant: tokens.grant(found, session, successor), reusedBy: null, isTakenOver: false }
}
