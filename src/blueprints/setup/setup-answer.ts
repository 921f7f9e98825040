import type { Insertable } from 'kysely'
import type { AuditEvent } from '../../audit-events/record.js'
import type { Schema } from '../../contract.js'
import { jsonb } from '../../database/expressions.js'
import type { Database, Trx } from '../../database/schema.js'
import { withWarnings } from '../../experiments/readiness/warnings.js'
import { changeEvents, countsOf } from './outcome.js'
import type { SetupPlan } from './setup-plan.js'
import { recordedChanges } from './undo/undo.js'

/** The fields that the answers to an application and to a preview share. */
export async function answerOf(
  trx: Trx,
  { setup, changes, items, payload, bundle, ...plan }: SetupPlan,
  { include_template_payload }: Schema<'QuickSetup'>,
) {
  const { organization_id, metadata, overwrite_existing } = setup
  const { scenario_type, catalogue_version, models, team_size, warnings } = bundle
  return {
    organization_id,
    scenario_type,
    catalogue_version,
    models,
    team_size,
    overwrite_existing,
    ...countsOf(items),
    ...plan,
    template_payload: include_template_payload ? await payloadOf(trx, payload()) : null,
    warnings,
    metadata,
  }
}

async function payloadOf(trx: Trx, payload: ReturnType<SetupPlan['payload']>) {
  return { ...payload, experiment: await withWarnings(trx, payload.experiment) }
}

/** The `would_` fields of a preview. */
export function differencesOf({ items, skipped }: SetupPlan) {
  const named = (wanted: Schema<'QuickSetupAction'>) =>
    items.filter(({ action }) => action === wanted).map(({ kind, name }) => ({ kind, name }))
  return {
    would_create: named('created'),
    would_update: items
      .filter(({ action }) => action === 'replaced')
      .map(({ kind, name, fields }) => ({ kind, name, fields })),
    would_remove: named('removed'),
    would_skip: skipped,
  }
}

/** The row of `quick_setups` that records an application, so that it can be listed and undone. */
export function recordOf(
  _id: string,
  { setup, changes, items, payload, bundle, ...plan }: SetupPlan,
): Insertable<Database['quick_setups']> {
  const { scenario_type, catalogue_version, models, team_size, warnings } = bundle
  const { organization_id, overwrite_existing, metadata, applied_at, applied_by } = setup
  return {
    organization_id,
    _id,
    scenario_type,
    catalogue_version,
    models: jsonb(models),
    team_size,
    overwrite_existing,
    metadata: jsonb(metadata),
    result: jsonb({ ...countsOf(items), ...plan, changes: items, warnings }),
    changes: jsonb<unknown>(recordedChanges(changes)),
    applied_at,
    applied_by,
  }
}

/** The event of the application, and one event for each kind of row that it changed. */
export function appliedEvents(
  setup_id: string,
  { setup, changes, items, bundle }: SetupPlan,
): AuditEvent[] {
  const { organization_id, overwrite_existing } = setup
  const { scenario_type, catalogue_version, models, team_size } = bundle
  const applied = { scenario_type, catalogue_version, models, team_size, overwrite_existing }
  const counts = countsOf(items)
  const metadata = { setup_id, ...applied, ...counts }
  return [
    { organization_id, category: 'blueprint', event_type: 'quick_setup_applied', metadata },
    ...changeEvents({ organization_id, setup_id }, changes),
  ]
}
