import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AuditEvent, changesBetween } from '../audit-events/record.js'
import type { NewTemplate, StoredTemplate } from './queries.js'

/** As much of two versions of the messages as an event holds, in bytes of JSON. */
const maxBytes = 16_384

/** The template without messages: the state before its creation and after its deletion. */
const emptied = <T extends NewTemplate>(template: T): T => ({
  ...template,
  message_templates: [],
  is_active: true,
  apply_to_existing_users: false,
})

export const createdEvent = (template: NewTemplate): AuditEvent =>
  templateEvent('created', template, changesOf(emptied(template), template))

export const deletedEvent = (template: StoredTemplate): AuditEvent =>
  templateEvent('deleted', template, changesOf(template, emptied(template)))

/** The event of a change, under the template's new name; null when nothing changes. */
export function updatedEvent(before: StoredTemplate, wanted: StoredTemplate): AuditEvent | null {
  const changed = changesOf(before, wanted)
  return Object.keys(changed.changes).length > 0 ? templateEvent('updated', wanted, changed) : null
}

function templateEvent(
  kind: 'created' | 'updated' | 'deleted',
  { organization_id, _id: template_id, scenario_name, channel_name, ...rest }: NewTemplate,
  { changes, ...window }: ReturnType<typeof changesOf>,
): AuditEvent {
  const messages = rest.message_templates.length
  return {
    organization_id,
    category: 'channel_template',
    event_type: `channel_template_${kind}`,
    metadata: { template_id, scenario_name, channel_name, messages, ...window },
    ...(Object.keys(changes).length > 0 && { changes }),
  }
}

/** The fields that differ. Of the messages only those from the first difference to the last. */
function changesOf(before: NewTemplate, after: NewTemplate) {
  const changes: NonNullable<AuditEvent['changes']> = changesBetween(before, after)
  if (!changes.message_templates) return { changes }
  const { first, from, to } = windowOf(before.message_templates, after.message_templates)
  const texts = { from: JSON.stringify(from), to: JSON.stringify(to) }
  const fits = Buffer.byteLength(texts.from) + Buffer.byteLength(texts.to) <= maxBytes
  changes.message_templates = fits
    ? { from, to }
    : { from: sumOf(from, texts.from), to: sumOf(to, texts.to) }
  return { changes, first_changed_message: first }
}

type Messages = StoredTemplate['message_templates']

/** The messages from the first difference to the last. */
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

/** A hash that proves the messages when they are too long for an event. */
function sumOf({ length: messages }: Messages, json: string) {
  return { messages, sha256: createHash('sha256').update(json).digest('hex') }
}
