import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import {
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  exportJWK,
  type JWTHeaderParameters,
} from 'jose'
import type { Schema } from '../../contract.js'
import { type Link, linkText } from './chain.js'

export type Jwks = Schema<'AuditKeys'>
export type Checkpoint = Pick<
  Schema<'AuditCheckpoint'>,
  'organization_id' | 'sequence' | 'hash' | 'created_at'
>

/** The keys of checkpoints. The first one signs. All are published, and all verify. */
export interface AuditKeys {
  jwks: Jwks
  sign(checkpoint: Checkpoint): Promise<string>
}

const typ = 'audit-checkpoint+jws'

/** The bytes before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Derives the keys from secrets, so that every process has the same ones. The derivation (RFC 5869)
 * is one-way, because the same secrets may also sign tokens.
 */
export async function createAuditKeys(secrets: string[]): Promise<AuditKeys> {
  const pairs = secrets.map((secret) => {
    const seed = hkdfSync('sha256', secret, '', 'audit checkpoints, Ed25519', 32)
    const der = Buffer.concat([pkcs8Prefix, Buffer.from(seed)])
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  })
  const keys = await Promise.all(pairs.map((key) => publicJwk(createPublicKey(key))))
  const [first, kid] = [pairs[0], keys[0]?.kid]
  if (!first || !kid) throw new Error('Checkpoints cannot be signed without a secret')
  return {
    jwks: { keys },
    sign: (checkpoint) =>
      new CompactSign(Buffer.from(JSON.stringify(checkpoint)))
        .setProtectedHeader({ alg: 'EdDSA', kid, typ } satisfies JWTHeaderParameters)
        .sign(first),
  }
}

async function publicJwk(key: KeyObject): Promise<Schema<'AuditKey'>> {
  const { x = '' } = await exportJWK(key)
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' }
}

/** The content of a checkpoint that one of the keys has signed. Null for any other text. */
export async function readCheckpoint(text: string, jwks: Jwks): Promise<Checkpoint | null> {
  try {
    const keys = createLocalJWKSet(jwks)
    const { payload, protectedHeader } = await compactVerify(text, keys, { algorithms: ['EdDSA'] })
    return protectedHeader.typ === typ ? JSON.parse(Buffer.from(payload).toString()) : null
  } catch {
    return null
  }
}

export function checkpointAt(organization_id: string, link: Link): Checkpoint {
  return { organization_id, ...linkText(link), created_at: new Date().toISOString() }
}
