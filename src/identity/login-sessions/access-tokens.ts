import { randomUUID } from 'node:crypto'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Role, Schema } from '../../contract.js'
import { invalidToken } from '../../errors.js'
import { type OpaqueToken, successorOf } from '../opaque-token.js'
import type { SessionUser } from './login-sessions.js'

const issuer = 'workplace-simulation-service'
const audience = 'workplace-simulation-api'

/** The user of a token. `role` is the role when it was issued; only the user's current role counts. */
export interface TokenSubject {
  sub: string
  org: string
  role: Role
  /** The login session, which may have ended since then. */
  sid: string
  /** The place to which the login session is bound, if it is. */
  seat?: string
}

interface TokenClaims extends TokenSubject {
  /** When it expires, in seconds since 1970. */
  exp: number
}

export interface Tokens {
  /** The tokens for a user who has authenticated. */
  grant(
    user: SessionUser,
    session: { _id: string; expires_at: string; assignment_id?: string | null },
    refreshToken: OpaqueToken,
  ): Schema<'TokenGrant'>
  /** The refresh token that follows this one, after some that were lost. It is always the same. */
  successorOf(refreshToken: OpaqueToken, lost: number): OpaqueToken
  /** The claims of a valid access token. Throws 401 for any other text. */
  verify(token: string): TokenClaims
}

interface Options {
  /** The first secret signs. All secrets verify. */
  secrets: string[]
  /** The lifetime of an access token in seconds. */
  accessTokenTtl: number
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: TokenSubject & { jti: string }
    namespaces: string
  }
}

const namespace = (index: number) => `secret${index}`

/** Creates a signer and verifiers. Verified tokens are cached until they expire. */
export async function createTokens(app: FastifyInstance, options: Options): Promise<Tokens> {
  for (const [index, secret] of options.secrets.entries()) {
    await app.register(fastifyJwt, {
      secret,
      namespace: namespace(index),
      sign: {
        algorithm: 'HS256',
        iss: issuer,
        aud: audience,
        expiresIn: `${options.accessTokenTtl}s`,
      },
      verify: {
        algorithms: ['HS256'],
        allowedIss: issuer,
        allowedAud: audience,
        requiredClaims: ['iss', 'aud', 'sub', 'org', 'role', 'sid', 'iat', 'exp', 'jti'],
      },
    })
  }
  const keys = options.secrets.flatMap((_, index) => app.jwt[namespace(index)] ?? [])
  const [first] = keys
  const [secret] = options.secrets
  if (!first || !secret) throw new Error('A secret to sign with is missing')
  return {
    grant(user, session, refreshToken) {
      const { _id: user_id, username, organization_id, role } = user
      const { _id: sid, assignment_id } = session
      const seat = assignment_id ? { seat: assignment_id } : {}
      const claims = { sub: user_id, org: organization_id, role, sid, ...seat }
      const expires_in = Math.min(options.accessTokenTtl, secondsUntil(session.expires_at))
      // Options create a new signer each time. Most tokens need none.
      const isShorter = expires_in < options.accessTokenTtl
      const lifetime = isShorter ? { expiresIn: `${expires_in}s` } : undefined
      return {
        access_token: first.sign({ ...claims, jti: randomUUID() }, lifetime),
        user_id,
        username,
        organization_id,
        role,
        token_type: 'bearer',
        expires_in,
        refresh_token: refreshToken.text,
      }
    },
    successorOf: (refreshToken, lost) => successorOf(refreshToken, lost, secret),
    verify: cached((token) => verify(keys, token)),
  }
}

/** The token of an Authorization header (RFC 6750); undefined when it holds none. */
export function readBearerToken(authorization = ''): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1]
}

const secondsUntil = (instant: string) =>
  Math.max(1, Math.floor((Date.parse(instant) - Date.now()) / 1000))

/**
 * Each request looks its token up twice. The verifier's own cache hashes the token each time, which
 * costs more than the rest; here the secret is in the same memory, so a hash would protect nothing.
 */
function cached(verify: Tokens['verify']): Tokens['verify'] {
  const verified = new LRUCache<string, TokenClaims>({ max: 10_000 })
  return (token) => {
    const known = verified.get(token)
    if (known && known.exp * 1000 > Date.now()) return known
    const claims = verify(token)
    verified.set(token, claims)
    return claims
  }
}

function verify(keys: JWT[], token: string): TokenClaims {
  for (const key of keys) {
    try {
      return key.verify<TokenClaims>(token)
    } catch {
      // Signed with another secret, or not by this service.
    }
  }
  throw invalidToken()
}
