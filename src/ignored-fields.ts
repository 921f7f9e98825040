import type { FastifyReply } from 'fastify'

/** A part of a request that changed nothing. */
export interface IgnoredField {
  /** Its place, as in the `loc` of a fault. */
  loc: string[]
  /** A known name that was perhaps meant. */
  near?: string | null
  /** The value that is used instead of one that is not known. */
  used?: string
}

/** How many fields a header names at most, so that no client refuses it for its length. */
const mostNamed = 20
const longestPlace = 200

/** Names ignored fields in `X-Ignored-Fields`: a list of strings with parameters (RFC 9651). */
export function nameIgnored(reply: FastifyReply, fields: IgnoredField[]): void {
  if (fields.length === 0) return
  const before = reply.getHeader('x-ignored-fields')
  const named = fields.slice(0, mostNamed).map(listItem)
  reply.header('x-ignored-fields', [...(before ? [before] : []), ...named].join(', '))
}

function listItem({ loc, near, used }: IgnoredField): string {
  const parameters = [near && `;near=${textItem(near)}`, used && `;used=${textItem(used)}`]
  return [textItem(loc.join('.')), ...parameters].join('')
}

/** A string of RFC 9651, which is printable ASCII: other characters are percent-encoded. */
function textItem(text: string): string {
  const start = text.slice(0, longestPlace).toWellFormed()
  const ascii = start.replace(/[^\x20-\x7e]/gu, encodeURIComponent)
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}
