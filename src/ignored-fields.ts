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

/** Bounds of the header, so that no client or proxy refuses it for its length. */
const most = { fields: 20, characters: 2_048, ofPlace: 200 }

const itemsOf = new WeakMap<FastifyReply, string[]>()

/** Names ignored fields in `X-Ignored-Fields`: a list of strings with parameters (RFC 9651). */
export function nameIgnored(reply: FastifyReply, fields: IgnoredField[]): void {
  const items = itemsOf.get(reply) ?? []
  for (const field of fields) {
    const header = [...items, listItem(field)].join(', ')
    if (items.length === most.fields || header.length > most.characters) return
    items.push(listItem(field))
    itemsOf.set(reply, items)
    reply.header('x-ignored-fields', header)
  }
}

function listItem({ loc, near, used }: IgnoredField): string {
  const parameters = [near && `;near=${textItem(near)}`, used && `;used=${textItem(used)}`]
  return [textItem(loc.join('.')), ...parameters].join('')
}

/** A string of RFC 9651, which is printable ASCII. Other characters and `%` are percent-encoded. */
function textItem(text: string): string {
  let ascii = ''
  for (const character of text.slice(0, most.ofPlace).toWellFormed()) {
    const part = /[\x20-\x24\x26-\x7e]/.test(character) ? character : encodeURIComponent(character)
    if (ascii.length + part.length > most.ofPlace) break
    ascii += part
  }
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}
