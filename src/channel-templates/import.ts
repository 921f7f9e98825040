import type { Transaction } from 'kysely'
import type { AuditEvent } from '../audit-events/record.js'
import type { Database } from '../database/schema.js'
import { templateExists } from '../errors.js'
import { createId } from '../identifiers.js'
import { selectTemplateIds, selectTemplatesForUpdate, upsertTemplates } from './import-queries.js'
import { createdEvent, updatedEvent } from './template-events.js'
import { type Key, keyOf, type Template } from './template-file.js'

type Trx = Transaction<Database>

/** Stores templates, all or none, and tells which of them are new and which have changed. */
export async function storeTemplates(
  trx: Trx,
  organization_id: string,
  templates: Template[],
  overwrite: boolean,
) {
  const rows = templates.map((template) => ({ ...template, organization_id, _id: createId() }))
  if (rows.length === 0) return { created: [], updated: [], ids: [] }
  const scenarios = [...new Set(rows.map(({ scenario_name }) => scenario_name))]
  const present = await selectTemplatesForUpdate(trx, organization_id, scenarios)
  const before = new Map(present.map((row) => [keyOf(row), row]))
  if (!overwrite) refuseExisting(rows, before)
  const written = new Set((await upsertTemplates(trx, rows, overwrite)).map(({ _id }) => _id))
  const stored = await selectTemplateIds(trx, organization_id, scenarios)
  const ids = new Map(stored.map((row) => [keyOf(row), row._id]))
  const created = rows.filter(({ _id }) => written.has(_id))
  const updated = rows.flatMap((row) => {
    const old = before.get(keyOf(row))
    if (!old || !written.has(old._id)) return []
    return [{ before: old, after: { ...old, ...row, _id: old._id } }]
  })
  // What somebody has made meanwhile was not read, and so could not be recorded.
  if (written.size > created.length + updated.length) throw templateExists()
  return { created, updated, ids: rows.map((row) => ids.get(keyOf(row)) ?? row._id) }
}

function refuseExisting(rows: Key[], before: ReadonlyMap<string, Key>): void {
  const existing = rows.filter((row) => before.has(keyOf(row)))
  if (existing.length === 0) return
  throw templateExists(
    existing.map(({ scenario_name, channel_name }) => ({ scenario_name, channel_name })),
  )
}

type Stored = Awaited<ReturnType<typeof storeTemplates>>

/** What somebody replaced by an import, and that they did; none where the file changed nothing. */
export function importEvents(organization_id: string, { created, updated }: Stored): AuditEvent[] {
  if (created.length + updated.length === 0) return []
  const event_type = 'channel_templates_imported'
  const names = (rows: (Key & { _id: string })[]) =>
    rows.map(({ _id: template_id, scenario_name, channel_name }) => {
      return { template_id, scenario_name, channel_name }
    })
  const made = created.map(createdEvent)
  const replaced = updated.flatMap(({ before, after }) => updatedEvent(before, after) ?? [])
  const metadata = { created: names(created), updated: names(updated.map(({ after }) => after)) }
  return [
    ...made,
    ...replaced,
    { organization_id, category: 'channel_template', event_type, metadata },
  ]
}
