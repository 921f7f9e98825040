import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { entityTagOf, requireMatch } from '../entity-tags.js'
import { type Fault, templateNotFound } from '../errors.js'
import { isId } from '../identifiers.js'
import { scopeOf } from '../identity/caller.js'
import { updatedEvent } from './changes.js'
import { checkMessages } from './check.js'
import { writeOrTry } from './dry-run.js'
import { completeMessages } from './messages.js'
import { type StoredTemplate, selectTemplate } from './queries.js'
import { selectTemplateForUpdate, updateTemplate } from './write-queries.js'

type Fields = Partial<Omit<Schema<'ChannelTemplateReplacement'>, 'message_templates'>>
type TemplateRequest = FastifyRequest<{ Params: { template_id: string } }>
type Request = Pick<TemplateRequest, 'caller' | 'headers' | 'id' | 'params' | 'server'>

/** The template that a path names, if the caller can reach it. Throws 404 otherwise. */
export async function findTemplate(request: Request, db: Kysely<Database> = request.server.db) {
  const { template_id } = request.params
  const template = isId(template_id)
    ? await selectTemplate(db, scopeOf(request), template_id)
    : undefined
  if (!template) throw templateNotFound()
  return template
}

/** That template, locked, if it is still the one that the request wants to change. */
export async function takeTemplate(trx: Transaction<Database>, request: Request) {
  const { organization_id, _id } = await findTemplate(request, trx)
  const template = await selectTemplateForUpdate(trx, organization_id, _id)
  if (!template) throw templateNotFound()
  requireMatch(request, entityTagOf(template))
  return template
}

/** Changes a template to what is wanted, and answers with it; null leaves its messages as they are. */
export async function changeTemplate(
  request: Request,
  reply: FastifyReply,
  fields: Fields,
  messages: Schema<'NewMessageTemplate'>[] | null,
  isDryRun: boolean,
) {
  const { before, after, warnings } = await writeOrTry(request.server.db, isDryRun, async (trx) => {
    const before = await takeTemplate(trx, request)
    const message_templates = completeMessages(messages ?? before.message_templates)
    const { organization_id } = before
    const check = { areStored: messages === null }
    const warnings: Fault[] = await checkMessages(trx, organization_id, message_templates, check)
    const wanted = { ...before, ...fields, ...(messages && { message_templates }) }
    return { before, after: await writeChange(trx, request, before, wanted), warnings }
  })
  reply.header('etag', entityTagOf(isDryRun ? before : after))
  return { ...after, warnings }
}

async function writeChange(
  trx: Transaction<Database>,
  request: Request,
  before: StoredTemplate,
  wanted: StoredTemplate,
) {
  const event = updatedEvent(before, wanted)
  if (!event) return before
  const isRenamed =
    wanted.scenario_name !== before.scenario_name || wanted.channel_name !== before.channel_name
  const after = await updateTemplate(trx, wanted, isRenamed)
  await recordAuditEvents(trx, request, [event])
  return after
}
