import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { preconditionFailed } from '../errors.js'

type Request = { headers: IncomingHttpHeaders }

/**
 * The entity tag of an answer (RFC 9110, 8.8.3). It names a version of the answer, not its bytes: a
 * compressed answer has the same tag.
 */
export function entityTagOf(answer: string | Buffer | object): string {
  const isText = typeof answer === 'string' || Buffer.isBuffer(answer)
  const text = isText ? answer : JSON.stringify(answer)
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}

/** Names the version of an answer. Only the caller may keep it, and asks each time whether it is current. */
export function setEntityTag(reply: FastifyReply, tag: string): void {
  reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
}

/** Throws 412 when the `If-Match` of the request names another version than this tag. */
export function requireMatch({ headers }: Request, tag: string): void {
  const wanted = headers['if-match']
  if (wanted !== undefined && !isNamedIn(wanted, tag)) throw preconditionFailed()
}

/** Whether the caller already has the answer with this tag, as `If-None-Match` says. */
export function isKnown({ headers }: Request, tag: string): boolean {
  const known = headers['if-none-match']
  return known !== undefined && isNamedIn(known, tag)
}

function isNamedIn(list: string, tag: string): boolean {
  if (list.trim() === '*') return true
  const tags = list.split(',').map((one) => one.trim())
  return tags.some((one) => one === tag || beforeProxy(one) === tag)
}

/** The tag before a proxy compressed the answer: nginx makes tags weak, and Apache adds a suffix. */
const beforeProxy = (tag: string) => tag.replace(/^W\//, '').replace(/-(?:gzip|br)"$/, '"')
