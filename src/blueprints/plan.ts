import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import { selectBrandingForUpdate } from '../organizations/branding-queries.js'
import { uniqueDepartments } from '../organizations/departments.js'
import { selectBranding } from '../organizations/queries.js'
import type { Bundle, BundleRequest } from './bundle/compose.js'
import type { Catalogue } from './catalogue/entries.js'
import type { Changes, SetupRow } from './changes.js'
import { composeWithFreeUsernames, planCharacters } from './characters.js'
import { planExperiment } from './draft-experiment.js'
import { type Kept, keptWarnings } from './kept.js'
import { itemsOf } from './outcome.js'
import * as queries from './queries.js'
import type { Setup } from './reconcile.js'
import { planTemplates } from './templates.js'

export interface Asked extends BundleRequest {
  catalogue: Catalogue
  overwrite_existing: boolean
  metadata: Record<string, unknown>
  applied_by: string
}

/** What an application will do, and what there is then. */
export interface Plan {
  setup: Setup
  bundle: Bundle
  changes: Changes
  items: Schema<'QuickSetupChange'>[]
  skipped: Schema<'QuickSetupSkipped'>[]
  character_ids: string[]
  channel_template_ids: string[]
  experiment_id: string
  made(): {
    characters: Schema<'User'>[]
    channel_templates: Schema<'ChannelTemplate'>[]
    experiment: Omit<Schema<'Experiment'>, 'warnings'>
  }
}

/**
 * Compares the bundle that is asked for with what there is. Writes nothing; what is `toChange` is
 * locked, so that nobody changes it before the plan is carried out.
 */
export async function planSetup(
  trx: Transaction<Database>,
  asked: Asked,
  { toChange }: { toChange: boolean },
): Promise<Plan> {
  const { organization_id, scenario_type, overwrite_existing } = asked
  const { now, setup: present } = await queries.selectSetup(trx, organization_id, scenario_type)
  const bundle = await compose(trx, asked, overwrite_existing ? null : present)
  const time = timeAfter(present?.applied_at, now)
  const _id = present?._id ?? createId()
  const setup: Setup = { ...asked, _id, time, isNew: !present, toChange }
  const characters = await planCharacters(trx, setup, bundle)
  const templates = await planTemplates(trx, setup, bundle, characters.ids)
  const experiments = await planExperiment(trx, setup, bundle)
  const changes = {
    setup: setupChange(setup, bundle, present),
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
    experiment_id: experiments.made._id,
    made: () => ({
      characters: characters.made(),
      channel_templates: templates.made(),
      experiment: experiments.made,
    }),
  }
}

/** The bundle as it will be: what is kept of an earlier setup decides what the rest shows. */
async function compose(
  trx: Transaction<Database>,
  { catalogue, ...asked }: Asked,
  kept: Kept | null,
): Promise<Bundle> {
  if (!kept) return composeWithFreeUsernames(trx, catalogue, asked)
  const { models } = kept
  const bundle = await composeWithFreeUsernames(trx, catalogue, { ...asked, models })
  const warnings = [...bundle.warnings, ...keptWarnings(bundle, asked, kept)]
  return { ...bundle, catalogue_version: kept.catalogue_version, warnings }
}

/** Now, and after the application before, by whichever computer's clock that was. */
function timeAfter(applied_at: string | undefined, now: string): string {
  const earliest = applied_at === undefined ? 0 : Date.parse(applied_at) + 1
  return new Date(Math.max(earliest, Date.parse(now))).toISOString()
}

function setupChange(
  { _id, scenario_type, overwrite_existing, metadata, time, applied_by }: Setup,
  { catalogue_version, models, team_size }: Bundle,
  present: (SetupRow & { _id: string; organization_id: string }) | null,
): Changes['setup'] {
  const wanted = { scenario_type, catalogue_version, models, team_size, overwrite_existing }
  const after = { ...wanted, metadata, applied_at: time, applied_by }
  const named = { _id, name: scenario_type }
  if (!present) return { ...named, before: null, after }
  const { _id: _same, organization_id, ...before } = present
  return { ...named, before, after }
}

/** The contract's limit for one organization. */
const mostDepartments = 100

async function planDepartments(
  trx: Transaction<Database>,
  { organization_id, time, toChange }: Setup,
  bundle: Bundle,
): Promise<Changes['departments']> {
  const select = toChange ? selectBrandingForUpdate : selectBranding
  const { departments, updated_at } = await select(trx, organization_id)
  const wanted = uniqueDepartments([...departments, ...bundle.departments])
  const after = { departments: wanted.slice(0, mostDepartments), updated_at: time }
  if (after.departments.length <= departments.length) return []
  return [{ _id: organization_id, name: null, before: { departments, updated_at }, after }]
}
