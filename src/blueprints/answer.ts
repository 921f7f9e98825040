import type { Insertable, Transaction } from 'kysely'
import type { AuditEvent } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { withWarnings } from '../experiments/warnings.js'
import { changeEvents, countsOf } from './outcome.js'
import type { Plan } from './plan.js'
import { toRecord } from './undo.js'

/** What a plan gives, whether it is carried out or not. */
export async function answerOf(
  trx: Transaction<Database>,
  { setup, changes, items, made, bundle, ...plan }: Plan,
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
    template_payload: include_template_payload ? await payloadOf(trx, made()) : null,
    warnings,
    metadata,
  }
}

async function payloadOf(trx: Transaction<Database>, made: ReturnType<Plan['made']>) {
  return { ...made, experiment: await withWarnings(trx, made.experiment) }
}

/** What a plan would do to what there is. */
export function differencesOf({ items, skipped }: Plan) {
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

/** The record of an application that carried a plan out. */
export function recordOf(
  _id: string,
  { setup, changes, items, made, bundle, ...plan }: Plan,
): Insertable<Database['quick_setups']> {
  const { scenario_type, catalogue_version, models, team_size, warnings } = bundle
  const { organization_id, overwrite_existing, metadata, time, applied_by } = setup
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
    changes: jsonb<unknown>(toRecord(changes)),
    applied_at: time,
    applied_by,
  }
}

/** The act itself, and one event for each kind that it changed. */
export function appliedEvents(
  setup_id: string,
  { setup, changes, items, bundle }: Plan,
): AuditEvent[] {
  const { organization_id, overwrite_existing } = setup
  const { scenario_type, catalogue_version, models, team_size } = bundle
  const what = { scenario_type, catalogue_version, models, team_size, overwrite_existing }
  const counts = countsOf(items)
  const metadata = { setup_id, ...what, ...counts }
  return [
    { organization_id, category: 'blueprint', event_type: 'quick_setup_applied', metadata },
    ...changeEvents({ organization_id, setup_id }, changes),
  ]
}
