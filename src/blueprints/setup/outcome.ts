import { type AuditEvent, changesBetween } from '../../audit-events/record.js'
import type { Schema } from '../../contract.js'
import { emptyDraft } from '../../experiments/update.js'
import { type Change, type Changes, hasEffect, type Stamp } from './changes.js'

type Item = Schema<'QuickSetupChange'>
type Counts = Schema<'QuickSetupCounts'>

const countedAs = {
  character: 'characters',
  channel_template: 'channel_templates',
  experiment: 'experiments',
  department: 'departments',
} as const satisfies Record<string, keyof Counts>

/** One item for each row that changes create, replace or remove, and for each department. */
export function itemsOf(changes: Changes): Item[] {
  const { characters, channel_templates, experiments, departments } = changes
  return [
    ...characters.map((change) => itemOf('character', change)),
    ...channel_templates.map((change) => itemOf('channel_template', change)),
    ...experiments.map((change) => itemOf('experiment', change)),
    ...departments.flatMap(({ before, after }) => [
      ...namesOnlyIn(after.departments, before.departments, 'created'),
      ...namesOnlyIn(before.departments, after.departments, 'removed'),
    ]),
  ]
}

function itemOf<Row extends Written, Written extends Stamp>(
  kind: keyof typeof countedAs,
  { _id, name, before, after }: Change<Row, Written>,
): Item {
  if (!before) return { kind, action: 'created', _id, name, fields: [] }
  if (!after) return { kind, action: 'removed', _id, name, fields: [] }
  const fields = Object.keys(before).filter((field) => field !== 'updated_at')
  return { kind, action: 'replaced', _id, name, fields }
}

const namesOnlyIn = (some: string[], others: string[], action: Item['action']): Item[] =>
  some
    .filter((name) => !others.includes(name))
    .map((name) => ({ kind: 'department', action, _id: null, name, fields: [] }))

/** The columns that differ, without `updated_at`, in the form of an audit event. */
function differencesBetween(before: Stamp, after: Stamp) {
  const entries = Object.entries(before).filter(([field]) => field !== 'updated_at')
  return Object.fromEntries(
    entries.map(([field, from]) => [field, { from, to: Reflect.get(after, field) }]),
  )
}

export function countsOf(items: Item[]): { created: Counts; updated: Counts; removed: Counts } {
  const count = (wanted: Item['action']) => {
    const counts = { characters: 0, channel_templates: 0, experiments: 0, departments: 0 }
    for (const { kind, action } of items) if (action === wanted) counts[countedAs[kind]] += 1
    return counts
  }
  return { created: count('created'), updated: count('replaced'), removed: count('removed') }
}

/** One audit event for each kind of row that changes. */
export function changeEvents(
  { organization_id, setup_id }: { organization_id: string; setup_id: string },
  changes: Changes,
): AuditEvent[] {
  const items = itemsOf(changes)
  const { created, updated, removed } = countsOf(items)
  const event = (category: string, event_type: string, metadata = {}): AuditEvent => ({
    organization_id,
    category,
    event_type,
    metadata: { setup_id, ...metadata },
  })
  const counted = (kind: keyof Counts) => ({
    created: created[kind],
    updated: updated[kind],
    removed: removed[kind],
    items: items
      .filter((item) => countedAs[item.kind] === kind)
      .map(({ kind: _, ...item }) => item),
  })
  const { characters, channel_templates, experiments, departments } = changes
  return [
    ...(characters.some(hasEffect)
      ? [event('user', 'characters_changed', counted('characters'))]
      : []),
    ...(channel_templates.some(hasEffect)
      ? [event('channel_template', 'channel_templates_changed', counted('channel_templates'))]
      : []),
    ...experiments.flatMap(({ _id: experiment_id, name, before, after }) => {
      const about = { experiment_id, name }
      if (!before) {
        const changes = changesBetween({ ...after, ...emptyDraft }, after)
        return { ...event('experiment', 'experiment_created', about), changes }
      }
      if (!after) {
        const changes = changesBetween(before, { ...before, ...emptyDraft })
        return { ...event('experiment', 'experiment_deleted', about), changes }
      }
      const updated = event('experiment', 'experiment_updated', { experiment_id })
      return hasEffect({ before, after })
        ? { ...updated, changes: differencesBetween(before, after) }
        : []
    }),
    ...departments.map(({ before, after }) => ({
      ...event('organization', 'branding_updated'),
      changes: differencesBetween(before, after),
    })),
  ]
}
