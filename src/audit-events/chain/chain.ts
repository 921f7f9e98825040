import { hash } from 'node:crypto'

/** A link of an organization's chain: the number of events up to it, and their hash. */
export interface Link {
  sequence: number
  hash: Buffer
}

/** The link before the first event. */
export const beginning: Link = { sequence: 0, hash: Buffer.alloc(32) }

/**
 * The next link: SHA-256 of the previous hash, the sequence as 8 bytes (big-endian) and the bytes of
 * the document. So each document depends on all before it, as in the logs of RFC 6962. It is a list
 * and not a tree, because a verification reads all events anyway.
 */
export function linkTo(
  { sequence: before, hash: previous }: Link,
  document: Buffer | string,
): Link {
  const sequence = before + 1
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(sequence))
  const content = typeof document === 'string' ? Buffer.from(document) : document
  return { sequence, hash: hash('sha256', Buffer.concat([previous, number, content]), 'buffer') }
}

/** The links of consecutive documents after a link. */
export function linksAfter(end: Link, documents: readonly string[]): Link[] {
  let link = end
  return documents.map((document) => {
    link = linkTo(link, document)
    return link
  })
}

/** The link in a stored row, or the beginning if there is none. */
export function linkOf(
  stored: { sequence: number | null; hash: Uint8Array | null } | undefined,
): Link {
  if (!stored?.sequence || !stored.hash) return beginning
  return { sequence: stored.sequence, hash: Buffer.from(stored.hash) }
}

/** A link as answers and files write it. */
export function linkText({ sequence, hash }: Link): { sequence: number; hash: string } {
  return { sequence, hash: hash.toString('hex') }
}
