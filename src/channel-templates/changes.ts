import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AuditEvent, changesBetween } from '../audit-events/record.js'
import type { StoredTemplate } from './queries.js'

/** As much of two versions of the messages as an event holds, in bytes of JSON. */
const mostBytes = 16_384

type Kind = 'created' | 'updated' | 'deleted'

/** That somebody did something to a template. */
export function templateEvent(
  { organization_id, _id: template_id, scenario_name, channel_name, ...rest }: StoredTemplate,
  kind: Kind,
): AuditEvent {
  const messages = rest.message_templates.length
  return {
    organization_id,
    category: 'channel_template',
    event_type: `channel_template_${kind}`,
    metadata: { template_id, scenario_name, channel_name, messages },
  }
}

/** What somebody changed about a template, by its new name; null when that is nothing. */
export function updateEvent(before: StoredTemplate, wanted: StoredTemplate): AuditEvent | null {
  const { message_templates, ...changes } = changesBetween(before, wanted)
  const event = templateEvent(wanted, 'updated')
  if (!message_templates) return Object.keys(changes).length > 0 ? { ...event, changes } : null
  const { first, from, to } = windowOf(before.message_templates, wanted.message_templates)
  return {
    ...event,
    changes: { ...changes, message_templates: fits(from, to) ? { from, to } : sums(from, to) },
    metadata: { ...event.metadata, first_changed_message: first },
  }
}

type Messages = StoredTemplate['message_templates']

/** The messages from the first that differs to the last that does. */
function windowOf(from: Messages, to: Messages) {
  const same = (a: number, b: number) => isDeepStrictEqual(from.at(a), to.at(b))
  const shorter = Math.min(from.length, to.length)
  let first = 0
  while (first < shorter && same(first, first)) first += 1
  let last = 0
  while (last < shorter - first && same(-1 - last, -1 - last)) last += 1
  return {
    first,
    from: from.slice(first, from.length - last),
    to: to.slice(first, to.length - last),
  }
}

const fits = (from: Messages, to: Messages) =>
  Buffer.byteLength(JSON.stringify([from, to])) <= mostBytes

/** Enough to prove what they were to whoever has them. */
const sums = (from: Messages, to: Messages) => ({ from: sumOf(from), to: sumOf(to) })

function sumOf(messages: Messages) {
  const sha256 = createHash('sha256').update(JSON.stringify(messages)).digest('hex')
  return { messages: messages.length, sha256 }
}
