import { createHmac, randomUUID } from 'node:crypto'

/** An organization and the access token of its admin. */
export interface Account {
  organization_id: string
  token: string
}

export interface TokenSubject {
  sub: string
  org: string
  role: string
  sid: string
}

/** The service and the peer both run with this secret. */
export const jwtSecret = 'the benchmark signs its tokens with this'

/** Longer than any run. */
const lifetimeSeconds = 12 * 3_600

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const hmacOf = (text: string) =>
  createHmac('sha256', jwtSecret).update(text).digest('base64url')

export function signToken(subject: TokenSubject): string {
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { iss: 'workplace-simulation-service', aud: 'workplace-simulation-api' }
  const times = { iat, exp: iat + lifetimeSeconds, jti: randomUUID() }
  const text = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ ...subject, ...claims, ...times })}`
  return `${text}.${hmacOf(text)}`
}

/** Every generated admin has one login session, whose id is that of the admin. */
export function accountOf(organization_id: string, user_id: string): Account {
  const subject = { sub: user_id, org: organization_id, role: 'admin', sid: user_id }
  return { organization_id, token: signToken(subject) }
}
