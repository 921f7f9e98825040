import { createHash, createHmac, randomBytes } from 'node:crypto'
import { parse, stringify } from 'uuid'

export interface OpaqueToken {
  /** The token as the client gets it: 16 bytes of organization id and at least 256 random bits, base64url. */
  text: string
  organization_id: string
  /** The stored form: SHA-256 in hexadecimal. */
  hash: string
}

/**
 * Creates a secret that contains its organization, so that the query that looks it up has a scope
 * like any other. The rest is random. Tokens stand in links, and chats and mail readers cut a last "-" or "_"
 * off: after 49 bytes, only two bits are left for the last letter, which is A, Q, g or w.
 */
export function createOpaqueToken(organization_id: string, secret = randomBytes(33)): OpaqueToken {
  const text = Buffer.concat([parse(organization_id), secret]).toString('base64url')
  return { text, organization_id, hash: sha256(text) }
}

/** Reads a token. Returns null for a text that cannot be one. */
export function readOpaqueToken(text: string): OpaqueToken | null {
  const bytes = Buffer.from(text, 'base64url')
  // Earlier tokens, and those that `successorOf` computes, have a byte less.
  if (![48, 49].includes(bytes.length) || bytes.toString('base64url') !== text) return null
  try {
    return { text, organization_id: stringify(bytes.subarray(0, 16)), hash: sha256(text) }
  } catch {
    return null
  }
}

/** The successor of a token after some that were lost. It can be computed again, but only with the key. */
export function successorOf(token: OpaqueToken, lost: number, key: string): OpaqueToken {
  const place = lost === 0 ? '' : ` ${lost}`
  const secret = createHmac('sha256', key).update(`refresh-token ${token.text}${place}`).digest()
  return createOpaqueToken(token.organization_id, secret)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
