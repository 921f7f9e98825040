import type { Transaction } from 'kysely'
import { changesBetween } from '../audit-events/record.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { insertExperiment } from '../experiments/queries.js'
import * as queries from '../experiments/setup-queries.js'
import { createId } from '../identifiers.js'
import type { Bundle } from './bundle/compose.js'
import type { Outcome, Setup } from './reconcile.js'

type Applied = Outcome & { experiment_id: string; changes: ReturnType<typeof changesBetween> }

/**
 * Drafts the bundle's experiment, or words an earlier draft anew: its arms, its period and metadata
 * of other names are people's work and stay. One that has left draft is left alone.
 */
export async function applyExperiment(
  trx: Transaction<Database>,
  { _id: setup_id, organization_id, overwrite_existing }: Setup,
  { experiment }: Bundle,
  created_by: string,
): Promise<Applied> {
  const present = await queries.selectSetupExperiment(trx, organization_id, setup_id)
  const nothing = { created: 0, updated: 0, removed: 0, skipped: [], changes: {} }
  if (!present) {
    const experiment_id = createId()
    const metadata = jsonb(experiment.metadata)
    const owner = { organization_id, _id: experiment_id, setup_id, created_by }
    await insertExperiment(trx, { ...owner, ...experiment, metadata })
    return { ...nothing, created: 1, experiment_id }
  }

  const { _id: experiment_id, status, ...worded } = present
  if (status !== 'draft' || !overwrite_existing) {
    const reason = status === 'draft' ? 'exists' : 'not_draft'
    const skipped = [{ kind: 'experiment', name: worded.name, reason }]
    return { ...nothing, skipped, experiment_id }
  }
  const wanted = { ...experiment, metadata: { ...worded.metadata, ...experiment.metadata } }
  await queries.updateDraft(trx, organization_id, experiment_id, wanted)
  return { ...nothing, updated: 1, experiment_id, changes: changesBetween(worded, wanted) }
}
