import type { FastifyRequest } from 'fastify'
import { type AuditEvent, recordAuditEvents } from '../../audit-events/record.js'
import type { Trx } from '../../database/schema.js'
import { templateExists } from '../../errors.js'
import { createId } from '../../formats/identifiers.js'
import type { Pause } from '../../turns/slices.js'
import type { NewTemplate, StoredTemplate } from '../queries.js'
import { groupsOf } from '../rows/template-rows.js'
import { createdEvent, updatedEvent } from '../template-events.js'
import * as queries from './import-queries.js'
import { keyOf, type Template, type TemplateKey } from './template-file.js'

type Request = Pick<FastifyRequest, 'id' | 'caller' | 'pauseInTransaction'>
type Ids = ReadonlyMap<string, string>

interface TemplateImport {
  organization_id: string
  templates: Template[]
  overwrite: boolean
}

/** Stores templates, all or none. Returns the new ones and the changed ones. */
export async function storeTemplates(
  trx: Trx,
  request: Request,
  { organization_id, templates, overwrite }: TemplateImport,
) {
  const rows = templates.map((template) => ({ ...template, organization_id, _id: createId() }))
  const present = await idsOf(queries.lockTemplates(trx, organization_id, rows))
  if (!overwrite) refuseExisting(rows, present)
  const created: NewTemplate[] = []
  const updated: NewTemplate[] = []
  for (const some of groupsOf(rows)) {
    await request.pauseInTransaction()
    const stored = await storeSome(trx, { organization_id, rows: some, present, overwrite })
    created.push(...stored.created)
    updated.push(...stored.updated.map(({ after }) => after))
    await recordAuditEvents(trx, request, await eventsOf(stored, request.pauseInTransaction))
  }
  const ids = await idsOf(queries.selectTemplateIds(trx, organization_id, rows))
  return { created, updated, ids: rows.map((row) => ids.get(keyOf(row)) ?? row._id) }
}

async function idsOf(found: Promise<(TemplateKey & { _id: string })[]>): Promise<Ids> {
  return new Map((await found).map((row) => [keyOf(row), row._id]))
}

function refuseExisting(rows: TemplateKey[], present: Ids): void {
  const existing = rows.filter((row) => present.has(keyOf(row)))
  if (existing.length === 0) return
  throw templateExists(
    existing.map(({ scenario_name, channel_name }) => ({ scenario_name, channel_name })),
  )
}

interface Update {
  before: StoredTemplate
  after: StoredTemplate
}
type StoredSome = Awaited<ReturnType<typeof storeSome>>

interface Batch {
  organization_id: string
  rows: NewTemplate[]
  /** The ids of existing templates, by key. */
  present: Ids
  overwrite: boolean
}

/** Stores one batch of templates. */
async function storeSome(trx: Trx, { organization_id, rows, present, overwrite }: Batch) {
  const ids = rows.flatMap((row) => present.get(keyOf(row)) ?? [])
  const old = await queries.selectTemplatesById(trx, organization_id, ids)
  const before = new Map(old.map((row) => [keyOf(row), row]))
  const upserted = await queries.upsertTemplates(trx, rows, overwrite)
  const written = new Set(upserted.map(({ _id }) => _id))
  const created = rows.filter(({ _id }) => written.has(_id))
  const updated = rows.flatMap((row): Update[] => {
    const stored = before.get(keyOf(row))
    if (!stored || !written.has(stored._id)) return []
    return [{ before: stored, after: { ...stored, ...row, _id: stored._id } }]
  })
  // Another request created a template after the lock: its old state is unknown, so no event fits.
  if (written.size > created.length + updated.length) throw templateExists()
  return { created, updated }
}

/** The events of stored templates. Pauses, because comparing two long templates takes milliseconds. */
async function eventsOf({ created, updated }: StoredSome, pause: Pause): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  for (const template of created) {
    await pause()
    events.push(createdEvent(template))
  }
  for (const { before, after } of updated) {
    await pause()
    const event = updatedEvent(before, after)
    if (event) events.push(event)
  }
  return events
}

type Stored = Awaited<ReturnType<typeof storeTemplates>>

/** The event of an import; none when the file changed nothing. */
export function importEvents(organization_id: string, { created, updated }: Stored): AuditEvent[] {
  if (created.length + updated.length === 0) return []
  const names = (rows: NewTemplate[]) =>
    rows.map(({ _id: template_id, scenario_name, channel_name }) => {
      return { template_id, scenario_name, channel_name }
    })
  const metadata = { created: names(created), updated: names(updated) }
  const event_type = 'channel_templates_imported'
  return [{ organization_id, category: 'channel_template', event_type, metadata }]
}
