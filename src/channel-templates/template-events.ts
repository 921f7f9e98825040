import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AuditEvent, changesBetween } from '../audit-events/record.js'
import type { NewTemplate, StoredTemplate } from './queries.js'

/** As much of two versions of the messages as an event holds, in bytes of JSON. */
const mostBytes = 16_384

/** Without anything in it, as each template begins and ends. */
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

/** That somebody changed a template, by its new name; null when nothing is changed. */
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

/** What differs; of the messages those from the first that does to the last. */
function changesOf(before: NewTemplate, after: NewTemplate) {
  const changes: NonNullable<AuditEvent['changes']> = changesBetween(before, after)
  if (!changes.message_templates) return { changes }
  const { first, from, to } = windowOf(before.message_templates, after.message_templates)
  const texts = { from: JSON.stringify(from), to: JSON.stringify(to) }
  const fits = Buffer.byteLength(texts.from) + Buffer.byteLength(texts.to) <= mostBytes
  changes.message_templates = fits
    ? { from, to }
    : { from: sumOf(from, texts.from), to: sumOf(to, texts.to) }
  return { changes, first_changed_message: first }
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

/** Enough to prove what the messages were. */
function sumOf({ length: messages }: Messages, json: string) {
  return { messages, sha256: createHash('sha256').update(json).digest('hex') }
}
