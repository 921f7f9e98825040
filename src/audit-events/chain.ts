import { hash } from 'node:crypto'

/** A place in an organization's chain: how many events there are up to it, and what they come to. */
export interface Link {
  sequence: number
  hash: Buffer
}

/** Before the first event. */
export const beginning: Link = { sequence: 0, hash: Buffer.alloc(32) }

/**
 * The link after another one: SHA-256 over the hash before, the sequence as 8 bytes (big-endian) and
 * the bytes of the document. Each document is bound to all before it, as in the logs of RFC 6962;
 * a list instead of its tree, because whoever verifies reads all of it anyway.
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

/** The links of documents that follow one another after a link. */
export function linksAfter(end: Link, documents: readonly string[]): Link[] {
  let link = end
  return documents.map((document) => {
    link = linkTo(link, document)
    return link
  })
}

/** The link that is stored somewhere; the beginning where nothing is. */
export function linkOf(
  stored: { sequence: number | null; hash: Uint8Array | null } | undefined,
): Link {
  if (!stored?.sequence || !stored.hash) return beginning
  return { sequence: stored.sequence, hash: Buffer.from(stored.hash) }
}

/** A link as it is written down. */
export function linkText({ sequence, hash }: Link): { sequence: number; hash: string } {
  return { sequence, hash: hash.toString('hex') }
}
