import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import fastq from 'fastq'
import { unavailable } from '../errors.js'

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const parameters = {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const

const longestQueue = 64

/** Hashes and verifies passwords, a bounded number at once, so that a storm stalls nothing else. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Compares with the hash, or in the same time with nothing when there is none. */
  verify(hash: string | null, password: string): Promise<boolean>
  needsRehash(hash: string): boolean
}

/** Both operations throw 503 when more than 64 others are waiting. */
export async function createPasswords(): Promise<Passwords> {
  const queue = fastq.promise((work: () => Promise<unknown>) => work(), availableParallelism())
  const decoy = await argon2.hash(randomBytes(16), parameters)

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (queue.length() >= longestQueue) throw unavailable()
    // The queue gives back what the worker gave; its own type cannot say so.
    return (await queue.push(work)) as T
  }

  return {
    hash: (password) => run(() => argon2.hash(password, parameters)),
    verify: async (hash, password) => {
      const matches = await run(() => argon2.verify(hash ?? decoy, password))
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
