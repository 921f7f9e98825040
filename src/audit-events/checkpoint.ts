import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import {
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  exportJWK,
  type JWTHeaderParameters,
} from 'jose'
import type { Schema } from '../contract.js'
import { type Link, linkText } from './chain.js'

export type Jwks = Schema<'AuditKeys'>
export type Checkpoint = Pick<
  Schema<'AuditCheckpoint'>,
  'organization_id' | 'sequence' | 'hash' | 'created_at'
>

/** The keys of checkpoints: the first one signs, all of them are published and verify. */
export interface AuditKeys {
  jwks: Jwks
  sign(checkpoint: Checkpoint): Promise<string>
}

const typ = 'audit-checkpoint+jws'

/** An Ed25519 private key in PKCS #8 (RFC 8410) is this and its 32 bytes. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Keys made of secrets, so that every process of a service has the same ones. They are derived
 * (RFC 5869) and cannot be traced back, for the secrets may sign tokens as well.
 */
export async function createAuditKeys(secrets: string[]): Promise<AuditKeys> {
  const pairs = secrets.map((secret) => {
    const seed = hkdfSync('sha256', secret, '', 'audit checkpoints, Ed25519', 32)
    const der = Buffer.concat([pkcs8, Buffer.from(seed)])
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

/** What a checkpoint says, if one of the keys has signed it; else null. */
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
