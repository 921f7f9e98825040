import type { Transaction } from 'kysely'
import { changesBetween, recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { callerOf, requireOrganization } from '../identity/caller.js'
import { selectBrandingForUpdate, updateDepartments } from '../organizations/branding-queries.js'
import { uniqueDepartments } from '../organizations/departments.js'
import { lockOrganization } from '../organizations/queries.js'
import type { Bundle } from './bundle/compose.js'
import { applyCharacters, composeWithFreeUsernames } from './characters.js'
import { applyExperiment } from './draft-experiment.js'
import { countsOf, setupEvents } from './outcome.js'
import * as queries from './queries.js'
import type { Setup } from './reconcile.js'
import { applyTemplates } from './templates.js'

export const applyQuickSetup: Handler<'applyQuickSetup'> = async (request) => {
  const { body } = request
  const { user_id: applied_by, ...caller } = callerOf(request)
  const organization_id = body.organization_id || caller.organization_id
  await requireOrganization(request, organization_id)
  const { scenario_type, team_size = null, overwrite_existing, metadata = {} } = body

  return request.server.authenticator.transaction(async (trx) => {
    await lockOrganization(trx, organization_id)
    const asked = { organization_id, scenario_type, team_size, models: body }
    const bundle = await composeWithFreeUsernames(trx, asked)
    const { catalogue_version, models, warnings } = bundle
    const wanted = { organization_id, scenario_type, catalogue_version, overwrite_existing }
    const { _id, applied_at } = await queries.upsertSetup(trx, {
      ...wanted,
      _id: createId(),
      team_size: bundle.team_size,
      models: jsonb(models),
      metadata: jsonb(metadata),
      applied_by,
    })
    const setup = { ...wanted, _id, team_size: bundle.team_size, models }
    const made = await applyBundle(trx, setup, bundle, applied_by)
    await recordAuditEvents(trx, request, setupEvents(setup, made))
    return {
      ...setup,
      ...countsOf(made),
      character_ids: bundle.characters.flatMap(({ key }) => made.characters.ids.get(key) ?? []),
      channel_template_ids: made.channel_templates.template_ids,
      experiment_id: made.experiments.experiment_id,
      template_payload: body.include_template_payload
        ? await queries.selectTemplatePayload(trx, setup)
        : null,
      warnings,
      metadata,
      applied_at,
      applied_by,
    }
  })
}

async function applyBundle(
  trx: AccessTransaction,
  setup: Setup,
  bundle: Bundle,
  applied_by: string,
) {
  const characters = await applyCharacters(trx, setup, bundle)
  const channel_templates = await applyTemplates(trx, setup, bundle, characters.ids)
  const experiments = await applyExperiment(trx, setup, bundle, applied_by)
  const departments = await addDepartments(trx, setup, bundle)
  return { characters, channel_templates, experiments, departments }
}

/** The contract's limit for one organization. */
const mostDepartments = 100

async function addDepartments(
  trx: Transaction<Database>,
  { organization_id }: Setup,
  bundle: Bundle,
) {
  const { departments: from } = await selectBrandingForUpdate(trx, organization_id)
  const to = uniqueDepartments([...from, ...bundle.departments]).slice(0, mostDepartments)
  const created = Math.max(0, to.length - from.length)
  if (created > 0) await updateDepartments(trx, organization_id, to)
  const changes = changesBetween({ departments: from }, { departments: to })
  return { created, updated: 0, removed: 0, skipped: [], changes }
}
