import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { ContractError } from '../../errors.js'
import {
  type Experiments,
  selectExperimentsWithSession,
} from '../../experiments/session-queries.js'
import { requireWithinLimit } from '../../usage/require-limits.js'
import { canStart } from '../lifecycle.js'
import type { LockedSession } from '../queries.js'
import { checkExperiment, checksBefore, checksOfStart } from './readiness.js'
import { selectProvisions } from './readiness-queries.js'
import { scenarioNow } from './scenario.js'
import { planStart, type StartDependencies } from './start.js'

/** Tries to start a session. The caller rolls the transaction back. */
export async function readinessOf(
  trx: Trx,
  dependencies: StartDependencies,
  session: LockedSession,
): Promise<Schema<'SessionReadiness'>> {
  const { organization_id, _id } = session
  const scenario = await scenarioNow(trx, dependencies.catalogue, session)
  const found = await selectProvisions(trx, session)
  const experiments = await selectExperimentsWithSession(trx, organization_id, _id)
  const tried = await tryStart(trx, dependencies, session, experiments)
  const checks = [
    ...checksBefore(session, found, scenario),
    checkExperiment(experiments),
    ...checksOfStart(session, tried),
  ]
  const { planned, warnings } = tried
  const ready = checks.every(({ passed }) => passed)
  return { session_id: _id, ready, checks, planned, warnings }
}

/** What a start would plan, and the limits that forbid the start. */
async function tryStart(
  trx: Trx,
  dependencies: StartDependencies,
  session: LockedSession,
  experiments: Experiments,
) {
  const nothing = { planned: 0, warnings: [], tooLong: null, overLimit: null }
  if (!canStart(session)) return nothing
  const room = await refusalOf(
    requireWithinLimit(
      trx,
      dependencies.usage.defaults,
      session.organization_id,
      'sessions_running',
    ),
  )
  const plan = await refusalOf(planStart(trx, dependencies, session, experiments))
  if (plan instanceof ContractError) return { ...nothing, tooLong: plan, overLimit: room ?? null }
  return {
    planned: plan.entries.length,
    warnings: plan.warnings,
    tooLong: null,
    overLimit: room ?? null,
  }
}

/** Returns the result, or the 409 that was thrown. No SQL statement has failed then. */
async function refusalOf<Result>(tried: Promise<Result>): Promise<Result | ContractError> {
  try {
    return await tried
  } catch (error) {
    if (error instanceof ContractError && error.statusCode === 409) return error
    throw error
  }
}
