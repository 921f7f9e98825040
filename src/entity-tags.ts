import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { preconditionFailed } from './errors.js'

type Request = { headers: IncomingHttpHeaders }

/** The strong entity tag of an answer (RFC 9110, 8.8.3): the same text, the same tag. */
export function entityTagOf(answer: string | object): string {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}

/** Throws 412 when the request wants to change another state than the one with this tag. */
export function requireMatch({ headers }: Request, tag: string): void {
  const wanted = headers['if-match']
  if (wanted !== undefined && !names(wanted, tag)) throw preconditionFailed()
}

/** Whether the caller has the very answer with this tag already. */
export function hasCurrent({ headers }: Request, tag: string): boolean {
  const known = headers['if-none-match']
  // A cache on the way may have made the tag a weak one; for reading that is as good.
  return known !== undefined && names(known.replaceAll('W/"', '"'), tag)
}

/** Whether a list of entity tags names one, or any. */
function names(list: string, tag: string): boolean {
  return list.trim() === '*' || list.split(',').some((one) => one.trim() === tag)
}
