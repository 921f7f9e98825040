import { randomUUID } from 'node:crypto'
import { createSigner } from 'fast-jwt'

/** What every side signs and verifies tokens with, so that each takes the others'. */
export const tokenTerms = {
  secret: 'the benchmark signs its tokens with this',
  iss: 'workplace-simulation-service',
  aud: 'workplace-simulation-api',
  requiredClaims: ['iss', 'aud', 'sub', 'org', 'role', 'sid', 'iat', 'exp', 'jti'],
}

export interface TokenSubject {
  sub: string
  org: string
  role: string
  sid: string
}

/** The benchmark outlasts an hour. */
const lifetimeMs = 12 * 3_600_000

const sign = createSigner({
  key: tokenTerms.secret,
  algorithm: 'HS256',
  iss: tokenTerms.iss,
  aud: tokenTerms.aud,
  expiresIn: lifetimeMs,
})

export function signToken(subject: TokenSubject): string {
  return sign({ ...subject, jti: randomUUID() })
}
