import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { JsonText, type Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { callerOf } from '../identity/caller.js'
import { selectHiddenIds, selectIsBlinded } from './blinding-queries.js'
import type { StoredExperiment } from './design.js'
import { findExperiment } from './find-experiment.js'

type Request = Parameters<typeof findExperiment>[0]

/** The user whose places in sessions decide what they read; null for those who lead. */
export function blindableReader(request: Pick<FastifyRequest, 'caller'>): string | null {
  const { role, user_id } = callerOf(request)
  return role === 'executive' ? user_id : null
}

/** The experiment that the path names, and whether the caller must not see its arms yet. */
export async function findForReader(request: Request) {
  const experiment = await findExperiment(request)
  return { experiment, isBlinded: await isBlinded(request, request.db, experiment) }
}

/** Whether the caller takes part in a session of an experiment that has no conclusion yet. */
export async function isBlinded(
  request: Pick<FastifyRequest, 'caller'>,
  db: Kysely<Database>,
  experiment: Pick<StoredExperiment, 'organization_id' | '_id'>,
): Promise<boolean> {
  const reader_id = blindableReader(request)
  if (reader_id === null) return false
  return selectIsBlinded(db, experiment, reader_id)
}

/** The experiment without what concerns its arms, as the list has it as well. */
export const withoutArms = (experiment: StoredExperiment): StoredExperiment => ({
  ...experiment,
  hypothesis: null,
  control_session_ids: [],
  intervention_session_ids: [],
  assignment: null,
  assignment_ids: [],
  metadata: {},
})

/** Checks of an experiment that say nothing of its arms. */
const openChecks = new Set(['hypothesis', 'outcome_measure', 'period_set'])

export function withoutArmChecks(
  readiness: Schema<'ExperimentReadiness'>,
): Schema<'ExperimentReadiness'> {
  const checks = readiness.checks.filter(({ check }) => openChecks.has(check))
  return { ...readiness, ready: checks.every(({ passed }) => passed), checks }
}

/** A page of the list as a user may read it who takes part in sessions. */
export async function withoutHiddenArms(
  db: Kysely<Database>,
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
