import { recordAuditEvents } from '../audit-events/record.js'
import { Attachment, type Handler } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import { jsonWhole } from '../database/lists/long-lists.js'
import { linkToNext, readCursor } from '../database/lists/pages.js'
import { entityTagOf, setEntityTag } from '../formats/entity-tags.js'
import { createId } from '../formats/identifiers.js'
import { callerOf, requireOrganization, scopeOf } from '../identity/caller.js'
import { selectOrganization } from '../organizations/queries.js'
import { withinTemplateLimits } from '../usage/require-limits.js'
import { readPath } from './branches/read-scenario.js'
import { changeTemplate } from './change-template.js'
import { checkMessages, warningsOfStored, withScenarioWarnings } from './check-messages.js'
import { writeOrTry } from './dry-run.js'
import { readerOf, writeFile } from './files/export.js'
import { importEvents, storeTemplates } from './files/import.js'
import { writeMattermost } from './files/mattermost.js'
import { teamName } from './files/mattermost-names.js'
import { selectActiveChannels } from './files/mattermost-queries.js'
import { lockSenders, readTemplates } from './files/template-file.js'
import { findTemplate, lockTemplate } from './find-template.js'
import { valuesFor } from './linting/variable-values.js'
import { completeMessages, sendersOf } from './messages.js'
import { previewOf } from './preview/preview.js'
import { mondayMorningAfter, readStart, readTimeZone } from './preview/zoned-times.js'
import * as queries from './queries.js'
import { selectSenders } from './rows/sender-queries.js'
import { deleteTemplate, insertTemplate } from './rows/write-queries.js'
import { createdEvent, deletedEvent } from './template-events.js'

export const listChannelTemplates: Handler<'listChannelTemplates'> = async (request, reply) => {
  const { organization_id, scenario_name = null, limit } = request.query
  const scope = organization_id ? { organization_id } : scopeOf(request)
  const { fetchInTurn } = request
  const { db } = request
  const page = (after: queries.ChannelPosition | null, limit: number, maxBytes?: number) =>
    queries.selectChannelTemplates(db, scope, { scenario_name }, after, limit, maxBytes)
  const after = readCursor(request, queries.byChannel)
  const { rows, last } = limit
    ? await page(after, limit)
    : await jsonWhole(fetchInTurn, page, after, queries.templateBatchSize)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const createChannelTemplate: Handler<'createChannelTemplate'> = async (request, reply) => {
  const { organization_id: named, message_templates, ...fields } = request.body
  const { dry_run = false } = request.query
  const organization_id = named || callerOf(request).organization_id
  await requireOrganization(request, organization_id)
  const { warnings, ...template } = await writeOrTry(request.db, dry_run, async (trx) => {
    const messages = completeMessages(message_templates)
    const found = await checkMessages(trx, organization_id, messages)
    const wanted = { organization_id, _id: createId(), ...fields, message_templates: messages }
    const warnings = await withScenarioWarnings(trx, wanted, found)
    const row = { ...wanted, message_templates: jsonb(messages) }
    const template = await withinTemplateLimits(
      trx,
      request.server.usage.defaults,
      organization_id,
      [row.scenario_name],
      () => insertTemplate(trx, row),
    )
    await recordAuditEvents(trx, request, [createdEvent(template)])
    return { ...template, warnings }
  })
  const answer = dry_run ? { ...template, _id: null } : template
  setEntityTag(reply, entityTagOf(answer))
  return { ...answer, warnings }
}

export const getChannelTemplate: Handler<'getChannelTemplate'> = async (request, reply) => {
  const template = await findTemplate(request)
  setEntityTag(reply, entityTagOf(template))
  return { ...template, warnings: await warningsOfStored(request.db, template) }
}

export const replaceChannelTemplate: Handler<'replaceChannelTemplate'> = async (request, reply) => {
  const { message_templates, ...fields } = request.body
  const { dry_run = false } = request.query
  return changeTemplate(request, reply, {
    fields,
    messages: message_templates,
    isDryRun: dry_run,
  })
}

export const updateChannelTemplate: Handler<'updateChannelTemplate'> = async (request, reply) => {
  const { message_templates = null, ...body } = request.body
  const { dry_run = false } = request.query
  const given = Object.entries(body).filter(([, value]) => value !== null)
  return changeTemplate(request, reply, {
    fields: Object.fromEntries(given),
    messages: message_templates,
    isDryRun: dry_run,
  })
}

export const deleteChannelTemplate: Handler<'deleteChannelTemplate'> = async (request) => {
  await request.db.transaction().execute(async (trx) => {
    const template = await lockTemplate(trx, request)
    await deleteTemplate(trx, template)
    await recordAuditEvents(trx, request, [deletedEvent(template)])
  })
}

export const previewChannelTemplate: Handler<'previewChannelTemplate'> = async (request) => {
  const { start_at, time_zone, user_id = null, path = null } = request.body
  const template = await findTemplate(request)
  const { organization_id, scenario_name, message_templates } = template
  const zone = readTimeZone(time_zone, ['body', 'time_zone'])
  const start = readStart(start_at, ['body', 'start_at'])
  const valuesOf = await valuesFor(request, organization_id, user_id, ['body', 'user_id'])
  const ids = sendersOf(completeMessages(message_templates))
  const senders = await selectSenders(request.db, organization_id, ids)
  const read = path && (await readPath(request.db, template, path))
  const values = valuesOf(scenario_name)
  return previewOf(template, { start, time_zone, zone, values, senders, path: read })
}

export const exportChannelTemplates: Handler<'exportChannelTemplates'> = async (request) => {
  const { format, scenario_name = null, team, start_at, user_id = null } = request.query
  const { time_zone = 'UTC' } = request.query
  const organization_id = request.query.organization_id ?? callerOf(request).organization_id
  const zone = readTimeZone(time_zone, ['query', 'time_zone'])
  const start = start_at
    ? readStart(start_at, ['query', 'start_at'])
    : mondayMorningAfter(Date.now(), zone)
  const valuesOf = await valuesFor(request, organization_id, user_id, ['query', 'user_id'])
  const { fetchInTurn } = request
  const { db } = request
  const read = readerOf(db, fetchInTurn, organization_id, { scenario_name })
  const name = `channel-templates-${organization_id}-${new Date().toISOString().slice(0, 10)}`
  if (format === 'json') return new Attachment('application/json', `${name}.json`, writeFile(read))
  const { name: display_name } = await selectOrganization(db, organization_id)
  const named = { name: teamName(team, display_name), display_name }
  const active = await selectActiveChannels(db, organization_id)
  const target = { team: named, start, valuesOf, active }
  return new Attachment('application/x-ndjson', `${name}.jsonl`, writeMattermost(read, target))
}

export const importChannelTemplates: Handler<'importChannelTemplates'> = async (request) => {
  const { dry_run = false, overwrite = false } = request.query
  const organization_id = request.query.organization_id ?? callerOf(request).organization_id
  const { db, body } = request
  const file = body.templates
  const read = await readTemplates(db, organization_id, file, request.pause)
  const { templates, sender_ids, warnings } = read
  return writeOrTry(db, dry_run, async (trx) => {
    await lockSenders(trx, organization_id, sender_ids)
    const scenarios = templates.map(({ scenario_name }) => scenario_name)
    const stored = await withinTemplateLimits(
      trx,
      request.server.usage.defaults,
      organization_id,
      scenarios,
      () => storeTemplates(trx, request, { organization_id, templates, overwrite }),
    )
    await recordAuditEvents(trx, request, importEvents(organization_id, stored))
    const { created, updated, ids } = stored
    const isNew = new Set(created.map(({ _id }) => _id))
    return {
      created: created.length,
      updated: updated.length,
      template_ids: ids.map((_id) => (dry_run && isNew.has(_id) ? null : _id)),
      warnings,
    }
  })
}
