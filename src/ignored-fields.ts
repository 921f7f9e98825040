import type { FastifyReply } from 'fastify'

/** A field or parameter of a request that had no effect. */
export interface IgnoredField {
  /** Its location, as in the `loc` of a fault. */
  loc: string[]
  /** A known name that was perhaps meant. */
  near?: string | null
  /** The value that is used instead of an unknown one. */
  used?: string
}

/** Limits of the header, so that no client or proxy refuses it. */
const max = { fields: 20, characters: 2_048, locCharacters: 200 }

const itemsOf = new WeakMap<FastifyReply, string[]>()

/** Names ignored fields in `X-Ignored-Fields`: a list of strings with parameters (RFC 9651). */
export function nameIgnored(reply: FastifyReply, fields: IgnoredField[]): void {
  const items = itemsOf.get(reply) ?? []
  for (const field of fields) {
    const header = [...items, listItem(field)].join(', ')
    if (items.length === max.fields || header.length > max.characters) return
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
  for (const character of text.slice(0, max.locCharacters).toWellFormed()) {
    const part = /[\x20-\x24\x26-\x7e]/.test(character) ? character : encodeURIComponent(character)
    if (ascii.length + part.length > max.locCharacters) break
    ascii += part
  }
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}
