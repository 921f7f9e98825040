import { v7 } from 'uuid'
import type { Caller } from './callers.js'
import { eventDocument } from './event-document.js'
import { brandingColumns, isoTime } from './lists.js'
import { Refusal } from './peer.js'

export const fields = [
  'company_name',
  'logo_url',
  'primary_color',
  'sidebar_color',
  'departments',
  'welcome_message',
] as const
type Field = (typeof fields)[number]
export type BrandingUpdate = Partial<Record<Exclude<Field, 'departments'>, string | null>> & {
  departments?: string[] | null
}

export const colorPattern = '^(#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}))?$'
const color = new RegExp(colorPattern)
const longest = { company_name: 200, logo_url: 2_048, welcome_message: 10_000 }

/** Checks a body by hand, as one does without a schema. */
export function checkBranding(body: unknown): BrandingUpdate {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal(422)
  const update = body as BrandingUpdate
  for (const name of ['company_name', 'logo_url', 'welcome_message'] as const) {
    const text: unknown = update[name] ?? ''
    if (typeof text !== 'string' || text.length > longest[name]) throw new Refusal(422)
  }
  for (const name of ['primary_color', 'sidebar_color'] as const) {
    const text: unknown = update[name] ?? ''
    if (typeof text !== 'string' || !color.test(text)) throw new Refusal(422)
  }
  if (update.logo_url && !/^https?:\/\/[^\s\\]+$/i.test(update.logo_url)) throw new Refusal(422)
  const departments: unknown = update.departments ?? []
  if (!Array.isArray(departments) || departments.length > 100) throw new Refusal(422)
  for (const name of departments) {
    if (typeof name !== 'string' || name.length > 100 || name.trim() === '') throw new Refusal(422)
  }
  return update
}

/** The values of the statement: null leaves a field as it is, an empty text clears it. */
export function brandingValues(update: BrandingUpdate, caller: Caller): unknown[] {
  const { departments } = update
  const wanted = fields.map((field) =>
    field === 'departments'
      ? departments && JSON.stringify(uniqueNames(departments))
      : update[field],
  )
  const values = wanted.map((value) => value ?? null)
  return [caller.organization_id, ...values, v7(), caller.user_id, v7()]
}

function uniqueNames(names: string[]): string[] {
  const byName = new Map<string, string>()
  for (const name of names.map((text) => text.trim())) {
    const key = name.toLowerCase()
    if (!byName.has(key)) byName.set(key, name)
  }
  return [...byName.values()]
}

const wantedValue = (field: Field, index: number) =>
  field === 'departments'
    ? `coalesce($${index + 2}::jsonb, old.departments)`
    : `case when $${index + 2}::text is null then old.${field} else nullif($${index + 2}, '') end`
const newValue = (field: Field, index: number) => `${wantedValue(field, index)} as ${field}`
export const assignment = (field: Field, index: number) => `${field} = ${wantedValue(field, index)}`

const change = (field: Field) => `
  case when old.${field} is distinct from new.${field} then jsonb_build_object('${field}',
    jsonb_build_object('from', old.${field}, 'to', new.${field})) else '{}' end`

export const brandingUpdated = {
  category: `'organization'`,
  event_type: `'branding_updated'`,
  status: `'success'`,
  actor_type: `'user'`,
}

const document = eventDocument({
  _id: '$8::uuid',
  organization_id: '$1::uuid',
  ...brandingUpdated,
  actor_id: '$9::text',
  request_id: '$10::text',
  metadata: `jsonb_build_object('changes', changes)`,
})

/** The change and its audit event in one statement, which is a transaction of its own. */
const changeAndEvent = `
  with old as (select * from brandings where organization_id = $1 for update),
  new as (select organization_id, ${fields.map(newValue).join(', ')} from old),
  difference as (
    select ${fields.map(change).join(' || ')} as changes from old join new using (organization_id)
  ),
  event as (
    insert into audit_events (organization_id, _id, category, event_type, status, actor_type,
      actor_id, request_id, metadata, document)
    select $1, $8, 'organization', 'branding_updated', 'success', 'user', $9, $10,
      jsonb_build_object('changes', changes), ${document}
    from difference where changes <> '{}'
  ),
  updated as (
    update brandings set ${fields.map((field) => `${field} = new.${field}`).join(', ')},
      updated_at = now()
    from new, difference
    where brandings.organization_id = new.organization_id and changes <> '{}'
    returning brandings.*
  ),
  present as (select * from updated union all select * from old where not exists (select from updated))`

const columnNames = brandingColumns.map(({ name }) => name)
const jsonColumns = brandingColumns.map(({ name, kind }) =>
  kind === 'time' ? `${isoTime(name)} as ${name}` : name,
)

export const changeBrandingGivingColumns = `
  ${changeAndEvent} select ${columnNames.join(', ')} from present`

export const changeBrandingGivingJson = `
  ${changeAndEvent}
  select to_json(item)::text from (select ${jsonColumns.join(', ')} from present) as item`
