import { createCipheriv, createHash } from 'node:crypto'

/** A number from 0 to below 1. */
export type Random = () => number

/** The key stream of a cipher, in the same way as allocations are drawn. */
export function randomFrom(seed: string): Random {
  const stream = createCipheriv(
    'aes-256-ctr',
    createHash('sha256').update(seed).digest(),
    Buffer.alloc(16),
  )
  const zeros = Buffer.alloc(1 << 16)
  let words = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at === words.length) [words, at] = [stream.update(zeros), 0]
    at += 4
    return words.readUInt32LE(at - 4) / 2 ** 32
  }
}
