import type { Trx } from '../../database/schema.js'
import { selectSetupExperiment, type Wording } from '../../experiments/setup-queries.js'
import { createId } from '../../formats/identifiers.js'
import type { Bundle } from '../bundle/compose.js'
import { type ExperimentChange, type ExperimentRow, replacement } from './changes.js'
import type { Setup } from './reconcile.js'

interface ExperimentPlan {
  changes: ExperimentChange[]
  skipped: { kind: string; name: string | null; reason: string }[]
  experiment: Omit<ExperimentRow, 'setup_id' | 'has_run'> & { _id: string; organization_id: string }
}

/**
 * Plans the bundle's experiment: a new draft, or new texts for an earlier draft. The arms, the period
 * and other keys of the metadata are people's work and stay. An experiment that is no draft any more
 * is skipped.
 */
export async function planExperiment(
  trx: Trx,
  setup: Setup,
  { experiment }: Bundle,
): Promise<ExperimentPlan> {
  const { organization_id, applied_at: updated_at, overwrite_existing, lock } = setup
  const stored = setup.isNew
    ? undefined
    : await selectSetupExperiment(trx, organization_id, setup._id, { lock })
  if (!stored) {
    const after = draft(setup, experiment)
    const _id = createId()
    const creation = { _id, name: after.name, before: null, after }
    return { ...experimentAfter(setup, _id, after), changes: [creation], skipped: [] }
  }

  const { _id, organization_id: owner, ...row } = stored
  if (row.status !== 'draft' || !overwrite_existing) {
    const reason = row.status === 'draft' ? 'exists' : 'not_draft'
    const skipped = [{ kind: 'experiment', name: row.name, reason }]
    return { ...experimentAfter(setup, _id, row), changes: [], skipped }
  }
  const metadata = { ...row.metadata, ...experiment.metadata }
  const after = { ...experiment, metadata, updated_at }
  const change = replacement<Wording>({ _id, name: row.name }, { from: row, to: after })
  return { ...experimentAfter(setup, _id, { ...row, ...after }), changes: [change], skipped: [] }
}

function draft(
  { _id: setup_id, applied_at, applied_by: created_by }: Setup,
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
    created_at: applied_at,
    updated_at: applied_at,
  }
}

/** The experiment as it will be, in the contract's shape. */
function experimentAfter(
  { organization_id }: Setup,
  _id: string,
  { setup_id, has_run, ...row }: ExperimentRow,
): Pick<ExperimentPlan, 'experiment'> {
  return { experiment: { _id, organization_id, ...row } }
}
