import { randomUUID } from 'node:crypto'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import type { Role, Schema } from '../contract.js'
import { invalidToken } from '../errors.js'

const issuer = 'workplace-simulation-service'
const audience = 'workplace-simulation-api'

/** Who a token was issued to. The role is the one at that time; what counts is the present one. */
export interface TokenSubject {
  sub: string
  org: string
  role: Role
}

export interface Tokens {
  issue(user: { _id: string; organization_id: string; username: string; role: Role }): TokenGrant
  /** The subject of a valid access token. Throws 401 for any other text. */
  verify(token: string): TokenSubject
}

type TokenGrant = Schema<'TokenGrant'>

interface Options {
  /** The first signs, all verify. */
  secrets: string[]
  /** Seconds an access token lives. */
  accessTokenTtl: number
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: TokenSubject & { jti: string }
    namespaces: string
  }
}

const namespace = (index: number) => `secret${index}`

/** One verifier a secret, each remembering the tokens it has verified until they expire. */
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
        requiredClaims: ['iss', 'aud', 'sub', 'org', 'role', 'iat', 'exp', 'jti'],
        cache: 10_000,
      },
    })
  }
  const keys = options.secrets.flatMap((_, index) => app.jwt[namespace(index)] ?? [])
  return {
    issue: (user) => ({
      access_token: sign(keys, user),
      user_id: user._id,
      username: user.username,
      organization_id: user.organization_id,
      role: user.role,
      token_type: 'bearer',
      expires_in: options.accessTokenTtl,
    }),
    verify: (token) => verify(keys, token),
  }
}

function sign([first]: JWT[], user: { _id: string; organization_id: string; role: Role }): string {
  if (!first) throw new Error('There is no secret to sign with')
  const { _id, organization_id, role } = user
  return first.sign({ sub: _id, org: organization_id, role, jti: randomUUID() })
}

function verify(keys: JWT[], token: string): TokenSubject {
  for (const key of keys) {
    try {
      return key.verify<TokenSubject>(token)
    } catch {
      // Signed with another secret, or not by us.
    }
  }
  throw invalidToken()
}
