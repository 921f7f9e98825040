import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { createId } from '../../formats/identifiers.js'
import { selectBrandingForUpdate } from '../../organizations/branding-queries.js'
import { uniqueDepartments } from '../../organizations/departments.js'
import { selectBranding } from '../../organizations/queries.js'
import type { Bundle, BundleRequest } from '../bundle/compose.js'
import type { Catalogue } from '../catalogue/entries.js'
import * as queries from '../queries.js'
import type { Changes, SetupRow } from './changes.js'
import { composeWithFreeUsernames, planCharacters } from './characters.js'
import { planExperiment } from './draft-experiment.js'
import { type EarlierSetup, keptWarnings } from './kept-warnings.js'
import { itemsOf } from './outcome.js'
import type { Setup } from './reconcile.js'
import { planTemplates } from './templates.js'

export interface SetupRequest extends BundleRequest {
  catalogue: Catalogue
  overwrite_existing: boolean
  metadata: Record<string, unknown>
  applied_by: string
}

/** What an application will change, and what it will answer. */
export interface SetupPlan {
  setup: Setup
  bundle: Bundle
  changes: Changes
  items: Schema<'QuickSetupChange'>[]
  skipped: Schema<'QuickSetupSkipped'>[]
  character_ids: string[]
  channel_template_ids: string[]
  experiment_id: string
  /** The contract's `template_payload`. Computed only on request: it is long. */
  payload(): {
    characters: Schema<'User'>[]
    channel_templates: Schema<'ChannelTemplate'>[]
    experiment: Omit<Schema<'Experiment'>, 'warnings'>
  }
}

/**
 * Compares the requested bundle with the rows that exist. Writes nothing. With `lock: 'update'` the
 * rows stay as they were read until the transaction ends.
 */
export async function planSetup(
  trx: Trx,
  request: SetupRequest,
  { lock }: { lock?: 'update' } = {},
): Promise<SetupPlan> {
  const { organization_id, scenario_type, overwrite_existing } = request
  const { now, setup: earlier } = await queries.selectSetup(trx, organization_id, scenario_type)
  const bundle = await compose(trx, request, overwrite_existing ? null : earlier)
  const applied_at = timeAfter(earlier?.applied_at, now)
  const _id = earlier?._id ?? createId()
  const setup: Setup = { ...request, _id, applied_at, isNew: !earlier, lock }
  const characters = await planCharacters(trx, setup, bundle)
  const templates = await planTemplates(trx, setup, bundle, characters.ids)
  const experiments = await planExperiment(trx, setup, bundle)
  const changes = {
    setup: setupChange(setup, bundle, earlier),
    characters: characters.changes,
    channel_templates: templates.changes,
    experiments: experiments.changes,
    departments: await planDepartments(trx, setup, bundle),
  }
  return {
    setup,
    bundle,
    changes,
    items: itemsOf(changes),
    skipped: [...characters.skipped, ...templates.skipped, ...experiments.skipped],
    character_ids: bundle.characters.flatMap(({ key }) => characters.ids.get(key) ?? []),
    channel_template_ids: bundle.channels.flatMap(
      ({ channel_name }) => templates.ids.get(channel_name) ?? [],
    ),
    experiment_id: experiments.experiment._id,
    payload: () => ({
      characters: characters.payload(),
      channel_templates: templates.payload(),
      experiment: experiments.experiment,
    }),
  }
}

/** Composes the bundle. When an earlier setup is kept, the bundle has the models of that setup. */
async function compose(
  trx: Trx,
  { catalogue, ...request }: SetupRequest,
  kept: EarlierSetup | null,
): Promise<Bundle> {
  if (!kept) return composeWithFreeUsernames(trx, catalogue, request)
  const { models } = kept
  const bundle = await composeWithFreeUsernames(trx, catalogue, { ...request, models })
  const warnings = [...bundle.warnings, ...keptWarnings(catalogue, bundle, request, kept)]
  return { ...bundle, catalogue_version: kept.catalogue_version, warnings }
}

/** Now, but always later than the earlier application, even when the clock went back. */
function timeAfter(applied_at: string | undefined, now: string): string {
  const earliest = applied_at === undefined ? 0 : Date.parse(applied_at) + 1
  return new Date(Math.max(earliest, Date.parse(now))).toISOString()
}

function setupChange(
  { _id, scenario_type, overwrite_existing, metadata, applied_at, applied_by }: Setup,
  { catalogue_version, models, team_size }: Bundle,
  earlier: (SetupRow & { _id: string; organization_id: string }) | null,
): Changes['setup'] {
  const wanted = { scenario_type, catalogue_version, models, team_size, overwrite_existing }
  const after = { ...wanted, metadata, applied_at, applied_by }
  const named = { _id, name: scenario_type }
  if (!earlier) return { ...named, before: null, after }
  const { _id: _same, organization_id, ...before } = earlier
  return { ...named, before, after }
}

/** The contract's limit for one organization. */
const maxDepartments = 100

async function planDepartments(
  trx: Trx,
  { organization_id, applied_at, lock }: Setup,
  bundle: Bundle,
): Promise<Changes['departments']> {
  const select = lock ? selectBrandingForUpdate : selectBranding
  const { departments, updated_at } = await select(trx, organization_id)
  const wanted = uniqueDepartments([...departments, ...bundle.departments])
  const after = { departments: wanted.slice(0, maxDepartments), updated_at: applied_at }
  if (after.departments.length <= departments.length) return []
  return [{ _id: organization_id, name: null, before: { departments, updated_at }, after }]
}
