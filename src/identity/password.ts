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

/** Long enough that a caller of many keys cannot fill it. On two cores, the last one waits for about 13 s. */
const waiting = { longestQueue: 1_000, patienceMs: 30_000 }

/**
 * Hashes and verifies passwords, a limited number at the same time, so that many logins do not block
 * other work. Keys take turns: a key is an organization, or the address of an unknown caller.
 */
export interface Passwords {
  hash(password: string, key: string): Promise<string>
  /** Compares a password with a hash. Without a hash it takes the same time, and returns false. */
  verify(hash: string | null, password: string, key: string): Promise<boolean>
  needsRehash(hash: string): boolean
}

/**
 * If 1,000 requests are waiting, one gets a 503: of the key with the most waiting requests, or else of the
 * one that has used the most time.
 */
export async function createPasswords(): Promise<Passwords> {
  const turns = new Turns({ capacity: availableParallelism(), ...waiting })
  const decoy = await argon2.hash(randomBytes(16), parameters)

  return {
    hash: (password, key) =>
      turns.run(key, () => argon2.hash(normalizePassword(password), parameters)),
    verify: async (hash, password, key) => {
      let matches = false
      // Earlier versions have hashed the form that was typed.
      for (const form of new Set([normalizePassword(password), password])) {
        matches = (await turns.run(key, () => argon2.verify(hash ?? decoy, form))) || matches
      }
      return matches && hash !== null
    },
    needsRehash: (hash) => argon2.needsRehash(hash, parameters),
  }
}

/** The form that is hashed (RFC 8265, 4.2), because systems type letters with accents in different forms. */
export const normalizePassword = (password: string): string => password.normalize('NFC')

/** Without 0, O, 1, l and I, because a person may have to type it. 32 characters are 5 bits each. */
const unambiguous = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A password of 24 characters, which are 120 random bits. */
export function createTemporaryPassword(): string {
  return Array.from(randomBytes(24), (byte) => unambiguous[byte % 32]).join('')
}
