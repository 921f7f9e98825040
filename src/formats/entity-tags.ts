import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { preconditionFailed } from '../errors.js'

type Request = { headers: IncomingHttpHeaders }

/** The strong entity tag of an answer (RFC 9110, 8.8.3). The same text has the same tag. */
export function entityTagOf(answer: string | Buffer | object): string {
  const isText = typeof answer === 'string' || Buffer.isBuffer(answer)
  const text = isText ? answer : JSON.stringify(answer)
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}

/** Throws 412 when the `If-Match` of the request names another version than this tag. */
export function requireMatch({ headers }: Request, tag: string): void {
  const wanted = headers['if-match']
  if (wanted !== undefined && namedIn(wanted, tag) === null) throw preconditionFailed()
}

/** The content codings that compress an answer. */
const codings = ['gzip', 'br']

/** The tag of an answer in a content coding, which is another representation (RFC 9110, 8.8.3.3). */
export function variantTag(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}-${coding}"`
}

/** The tag of `If-None-Match` if the caller already has this answer, plain or compressed. */
export function currentTag({ headers }: Request, tag: string): string | null {
  const known = headers['if-none-match']
  // A cache on the way may have weakened the tag. For reading that does not matter.
  return known === undefined ? null : namedIn(known.replaceAll('W/"', '"'), tag)
}

/** The tag in the list that matches an answer or a compressed variant of it, or null. */
function namedIn(list: string, tag: string): string | null {
  if (list.trim() === '*') return tag
  const tags = [tag, ...codings.map((coding) => variantTag(tag, coding))]
  const wanted = list.split(',').map((one) => one.trim())
  return tags.find((one) => wanted.includes(one)) ?? null
}
