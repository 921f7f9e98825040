import { createHash, createHmac, randomBytes } from 'node:crypto'
import { parse, stringify } from 'uuid'

export interface OpaqueToken {
  /** Given away once: the 16 bytes of an organization id and 256 secret bits, base64url. */
  text: string
  organization_id: string
  /** What is stored of it: SHA-256, in hex. */
  hash: string
}

/**
 * A secret that carries its organization, so that the query which looks it up is scoped like any
 * other. What it holds besides is random.
 */
export function createOpaqueToken(organization_id: string, secret = randomBytes(32)): OpaqueToken {
  const text = Buffer.concat([parse(organization_id), secret]).toString('base64url')
  return { text, organization_id, hash: sha256(text) }
}

/** The token that a text is; null when it cannot be one. */
export function readOpaqueToken(text: string): OpaqueToken | null {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== 48 || bytes.toString('base64url') !== text) return null
  try {
    return { text, organization_id: stringify(bytes.subarray(0, 16)), hash: sha256(text) }
  } catch {
    return null
  }
}

/** The one token that follows another: whoever holds the key can make it again, and nobody else. */
export function successorOf(token: OpaqueToken, key: string): OpaqueToken {
  const secret = createHmac('sha256', key).update(`refresh-token ${token.text}`).digest()
  return createOpaqueToken(token.organization_id, secret)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
