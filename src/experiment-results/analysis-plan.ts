import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Schema } from '../contract.js'
import type { Db } from '../database/schema.js'
import type { StoredExperiment } from '../experiments/design.js'
import { type Fault, type Reason, throwFaults, valueFault } from '../faults.js'
import { scenarioNow } from '../simulation-sessions/start/scenario.js'
import { commonOutcomes, type Outcome, ownStatistics } from './outcomes/common-outcomes.js'
import { outcomesOf } from './outcomes/outcomes.js'

export type AnalysisPlan = Schema<'AnalysisPlan'>
type Registration = Schema<'AnalysisPlanRegistration'>
type UnregisteredPlan = Omit<AnalysisPlan, 'registered_at' | 'registered_by'>

/** The plan of a request, with its defaults. Throws 422 with every outcome that is named twice. */
export function readAnalysisPlan(body: Registration): UnregisteredPlan {
  const { primary_outcome, direction, alpha = 0.05, smallest_effect = null } = body
  const guardrails = (body.guardrails ?? []).map(({ outcome, direction }) => {
    return { outcome, direction }
  })
  const named = [primary_outcome, ...guardrails.map(({ outcome }) => outcome)]
  const faults = guardrails.flatMap(({ outcome }, i) => {
    const first = named.indexOf(outcome)
    if (first === i + 1) return []
    return [
      outcomeFault(i + 1, 'duplicate', first === 0 ? 'is the primary outcome' : 'is repeated'),
    ]
  })
  throwFaults(faults)
  return { primary_outcome, direction, alpha, smallest_effect, guardrails }
}

/** A fault of an outcome of the plan. Index 0 is the primary outcome; the guardrails follow. */
function outcomeFault(index: number, ...reason: Reason): Fault {
  const loc =
    index === 0 ? ['body', 'primary_outcome'] : ['body', 'guardrails', `${index - 1}`, 'outcome']
  return valueFault(loc, ...reason)
}

/** Throws 422 with every outcome that no session can have. */
export function checkKnown(
  { primary_outcome, guardrails }: UnregisteredPlan,
  known: Outcome[] | null,
): void {
  const names = known?.map(({ outcome }) => outcome)
  const examples = names ?? [...common, ...forms]
  const message = `is not known; known outcomes are ${examples.join(', ')}`
  const wanted = [primary_outcome, ...guardrails.map(({ outcome }) => outcome)]
  const faults = wanted.flatMap((outcome, index) => {
    const isKnown = names ? names.includes(outcome) : isWellFormed(outcome)
    return isKnown ? [] : [outcomeFault(index, 'unknown_outcome', message)]
  })
  throwFaults(faults)
}

const forms = ['rubric:<criterion>', 'option:<beat>:<option>', '<statistic>:<beat or channel>']
const common = commonOutcomes.map(({ outcome }) => outcome)
const statistics = Object.keys(ownStatistics).join('|')
const others = new RegExp(`^(rubric:.+|option:.+:.+|(${statistics})(:.+)?)$`, 's')

const isWellFormed = (outcome: string) => common.includes(outcome) || others.test(outcome)

/**
 * The outcomes of the scenarios that the experiment's sessions play. While it has no session, those
 * of its own scenario. Null if no scenario is known.
 */
export async function knownOutcomes(
  db: Db,
  catalogue: Catalogue,
  { organization_id, metadata: { scenario_type } }: StoredExperiment,
  played: string[],
): Promise<Outcome[] | null> {
  const own = typeof scenario_type === 'string' ? [scenario_type] : []
  const known = new Map<string, Outcome>()
  for (const scenario_name of new Set(played.length > 0 ? played : own)) {
    const scenario = await scenarioNow(db, catalogue, { organization_id, scenario_name })
    if (scenario.catalogue_version === null) continue
    for (const one of outcomesOf(scenario)) known.set(one.outcome, known.get(one.outcome) ?? one)
  }
  return known.size > 0 ? [...known.values()] : null
}
