import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { entityTagOf, setEntityTag } from '../formats/entity-tags.js'
import { withinTemplateLimits } from '../usage/require-limits.js'
import { checkMessages, warningsOfStored, withScenarioWarnings } from './check-messages.js'
import { writeOrTry } from './dry-run.js'
import { findOwner, lockTemplate } from './find-template.js'
import { completeMessages } from './messages.js'
import type { StoredTemplate } from './queries.js'
import { updateTemplate } from './rows/write-queries.js'
import { updatedEvent } from './template-events.js'

type Fields = Partial<Omit<Schema<'ChannelTemplateReplacement'>, 'message_templates'>>
type TemplateRequest = FastifyRequest<{ Params: { template_id: string } }>
type Request = Pick<TemplateRequest, 'caller' | 'db' | 'headers' | 'id' | 'params' | 'server'>

interface TemplateChange {
  fields: Fields
  /** Null keeps the stored messages. */
  messages: Schema<'NewMessageTemplate'>[] | null
  isDryRun: boolean
}

/** Changes a template and returns it with its warnings. */
export async function changeTemplate(
  request: Request,
  reply: FastifyReply,
  { fields, messages, isDryRun }: TemplateChange,
) {
  const { before, after, warnings } = await writeOrTry(request.db, isDryRun, async (trx) => {
    const organization_id = await findOwner(trx, request)
    const message_templates = messages && completeMessages(messages)
    // Locks the senders before the template. A setup locks in the same order.
    const newWarnings =
      message_templates && (await checkMessages(trx, organization_id, message_templates))
    const before = await lockTemplate(trx, request, { organization_id })
    const wanted = { ...before, ...fields, ...(message_templates && { message_templates }) }
    const warnings = newWarnings
      ? await withScenarioWarnings(trx, wanted, newWarnings)
      : await warningsOfStored(trx, wanted)
    return { before, after: await writeChange(trx, request, before, wanted), warnings }
  })
  setEntityTag(reply, entityTagOf(isDryRun ? before : after))
  return { ...after, warnings }
}

async function writeChange(
  trx: Trx,
  request: Request,
  before: StoredTemplate,
  wanted: StoredTemplate,
) {
  const event = updatedEvent(before, wanted)
  if (!event) return before
  const isRenamed =
    wanted.scenario_name !== before.scenario_name || wanted.channel_name !== before.channel_name
  const scenarios = [before.scenario_name, wanted.scenario_name]
  const after = await withinTemplateLimits(
    trx,
    request.server.usage.defaults,
    before.organization_id,
    scenarios,
    () => updateTemplate(trx, wanted, isRenamed),
  )
  await recordAuditEvents(trx, request, [event])
  return after
}
