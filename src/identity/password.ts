import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import { Turns } from '../turns/turns.js'

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const parameters = {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const

const longestQueue = 64

/**
 * Hashes and verifies passwords, a bounded number at once, so that a storm stalls nothing else. Each
 * takes its turn with those of other organizations, and of other strangers' addresses.
 */
export interface Passwords {
  hash(password: string, key: string): Promise<string>
  /** Compares with the hash, or in the same time with nothing when there is none. */
  verify(hash: string | null, password: string, key: string): Promise<boolean>
  needsRehash(hash: string): boolean
}

/**
 * Both throw 503 when 64 requests wait and no other key has more of them than this one. Otherwise the
 * key with the most loses its oldest.
 */
export async function createPasswords(): Promise<Passwords> {
  const turns = new Turns({ capacity: availableParallelism(), longestQueue })
  const decoy = await argon2.hash(randomBytes(16), parameters)

  return {
    hash: (password, key) => turns.run(key, () => argon2.hash(password, parameters)),
    verify: async (hash, password, key) => {
      const matches = await turns.run(key, () => argon2.verify(hash ?? decoy, password))
      return matches && hash !== null
    },
    needsRehash: (hash) => argon2.needsRehash(hash, parameters),
  }
}

/** No 0, O, 1, l, I: a person may have to type it. 32 characters, so 5 random bits each. */
const unambiguous = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** 24 characters that carry 120 random bits. */
export function createTemporaryPassword(): string {
  return Array.from(randomBytes(24), (byte) => unambiguous[byte % 32]).join('')
}
