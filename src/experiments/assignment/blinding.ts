import type { FastifyRequest } from 'fastify'
import { JsonText, type Schema } from '../../contract.js'
import type { Db } from '../../database/schema.js'
import { callerOf } from '../../identity/caller.js'
import type { StoredExperiment } from '../design.js'
import { findExperiment } from '../find-experiment.js'
import { selectHiddenIds, selectIsBlinded } from './blinding-queries.js'

type Request = Parameters<typeof findExperiment>[0]

/** The caller's id if their assignments may hide arms from them; null for roles that lead sessions. */
export function blindableReader(request: Pick<FastifyRequest, 'caller'>): string | null {
  const { role, user_id } = callerOf(request)
  return role === 'executive' ? user_id : null
}

/** The experiment that the path names, and whether its arms are still hidden from the caller. */
export async function findForReader(request: Request) {
  const experiment = await findExperiment(request)
  return { experiment, isBlinded: await isBlinded(request, request.db, experiment) }
}

/** Whether the arms of an experiment are still hidden from the caller. */
export async function isBlinded(
  request: Pick<FastifyRequest, 'caller'>,
  db: Db,
  experiment: Pick<StoredExperiment, 'organization_id' | '_id'>,
): Promise<boolean> {
  const reader_id = blindableReader(request)
  if (reader_id === null) return false
  return selectIsBlinded(db, experiment, reader_id)
}

/** The experiment without the fields that tell about its arms. */
export const withoutArms = (experiment: StoredExperiment): StoredExperiment => ({
  ...experiment,
  hypothesis: null,
  control_session_ids: [],
  intervention_session_ids: [],
  assignment: null,
  assignment_ids: [],
  metadata: {},
})

/** The readiness checks that do not depend on the arms. */
const openChecks = new Set(['hypothesis', 'outcome_measure', 'period_set'])

export function withoutArmChecks(
  readiness: Schema<'ExperimentReadiness'>,
): Schema<'ExperimentReadiness'> {
  const checks = readiness.checks.filter(({ check }) => openChecks.has(check))
  const ready = checks.every(({ passed }) => passed)
  return { ...readiness, ready, checks, best_test: null }
}

/** A page of experiments, without the arms that are hidden from a reader. */
export async function withoutHiddenArms(
  db: Db,
  organization_id: string,
  reader_id: string,
  page: string,
): Promise<JsonText<Schema<'ListedExperiment'>[]>> {
  const experiments: StoredExperiment[] = JSON.parse(page)
  const ids = experiments.map(({ _id }) => _id)
  const hidden = await selectHiddenIds(db, organization_id, reader_id, ids)
  const shown = experiments.map((one) => (hidden.has(one._id) ? withoutArms(one) : one))
  return new JsonText(JSON.stringify(shown))
}
