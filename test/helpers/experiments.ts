import type { Schema } from '../../src/contract.js'
import { insertPlayed, type Play } from './ended-sessions.js'
import type { Member, startService } from './service.js'

type Service = Pick<Awaited<ReturnType<typeof startService>>, 'call' | 'db'>
type Arm = 'control' | 'intervention'

export const plan = {
  primary_outcome: 'messages_per_participant',
  direction: 'increase',
  guardrails: [{ outcome: 'answered_share', direction: 'decrease' }],
}

export const decision = { decision: 'inconclusive', rationale: 'Too few teams.' }

/** The operations of an admin on experiments. */
export function openLab({ call, db }: Service, { token, organization_id }: Member) {
  const callOn = (id: Parameters<typeof call>[0], experiment_id: string, options: object = {}) =>
    call(id, { token, params: { experiment_id }, ...options })

  async function draft(fields: object = {}): Promise<string> {
    const { body } = await call('createExperiment', { token, body: { name: 'Lab', ...fields } })
    return body._id
  }

  const update = (experiment_id: string, body: object) =>
    callOn('updateExperiment', experiment_id, { body })
  const register = (experiment_id: string, body: object = plan) =>
    callOn('registerAnalysisPlan', experiment_id, { body })
  const results = (experiment_id: string) => callOn('getExperimentResults', experiment_id)
  const conclude = (experiment_id: string, body: object = decision) =>
    callOn('concludeExperiment', experiment_id, { body })
  const data = (experiment_id: string, query: Record<string, string> = {}) =>
    callOn('exportExperimentData', experiment_id, { query })

  /** Stores sessions that ran in an arm of an experiment. Returns their ids. */
  async function played(experiment_id: string, arm: Arm, plays: Play[]): Promise<string[]> {
    const ids: string[] = []
    for (const play of plays) {
      ids.push(await insertPlayed(db, organization_id, { experiment_id, arm, ...play }))
    }
    return ids
  }

  /** Stores sessions that ran in the two arms of an experiment, and starts the experiment. */
  async function run(experiment_id: string, arms: Record<Arm, Play[]>) {
    const control_session_ids = await played(experiment_id, 'control', arms.control)
    const intervention_session_ids = await played(experiment_id, 'intervention', arms.intervention)
    const ids = { control_session_ids, intervention_session_ids }
    await update(experiment_id, { ...ids, status: 'running' })
    return ids
  }

  return { draft, update, register, results, conclude, data, played, run }
}

/** The outcomes of results by name. */
export const byName = ({ outcomes }: Schema<'ExperimentResults'>) =>
  Object.fromEntries((outcomes ?? []).map((one) => [one.outcome, one]))
