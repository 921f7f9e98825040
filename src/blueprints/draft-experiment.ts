import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { selectSetupExperiment, type Wording } from '../experiments/setup-queries.js'
import { createId } from '../identifiers.js'
import type { Bundle } from './bundle/compose.js'
import { type ExperimentChange, type ExperimentRow, replacement } from './changes.js'
import type { Setup } from './reconcile.js'

/**
 * Drafts the bundle's experiment, or words an earlier draft anew: its arms, its period and metadata
 * of other names are people's work and stay. One that has left draft is left alone.
 */
export async function planExperiment(
  trx: Transaction<Database>,
  setup: Setup,
  { experiment }: Bundle,
) {
  const { organization_id, time: updated_at, overwrite_existing, toChange } = setup
  const stored = setup.isNew
    ? undefined
    : await selectSetupExperiment(trx, organization_id, setup._id, { toChange })
  if (!stored) {
    const after = draft(setup, experiment)
    const _id = createId()
    return planned(setup, _id, after, [{ _id, name: after.name, before: null, after }])
  }

  const { _id, organization_id: owner, ...row } = stored
  if (row.status !== 'draft' || !overwrite_existing) {
    const reason = row.status === 'draft' ? 'exists' : 'not_draft'
    return planned(setup, _id, row, [], [{ kind: 'experiment', name: row.name, reason }])
  }
  const metadata = { ...row.metadata, ...experiment.metadata }
  const after = { ...experiment, metadata, updated_at }
  const change = replacement<Wording>({ _id, name: row.name }, row, after)
  return planned(setup, _id, { ...row, ...after }, [change])
}

function draft(
  { _id: setup_id, time, applied_by: created_by }: Setup,
  experiment: Bundle['experiment'],
): ExperimentRow {
  return {
    ...experiment,
    setup_id,
    status: 'draft',
    has_run: false,
    control_session_ids: [],
    intervention_session_ids: [],
    assignment_ids: [],
    assignment: null,
    start_at: null,
    end_at: null,
    created_by,
    created_at: time,
    updated_at: time,
  }
}

function planned(
  { organization_id }: Setup,
  _id: string,
  { setup_id, has_run, ...row }: ExperimentRow,
  changes: ExperimentChange[],
  skipped: { kind: string; name: string | null; reason: string }[] = [],
) {
  return { changes, skipped, made: { _id, organization_id, ...row } }
}
