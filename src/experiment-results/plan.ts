import type { Kysely } from 'kysely'
import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { type Fault, throwFaults, valueFault } from '../errors.js'
import type { StoredExperiment } from '../experiments/design.js'
import { scenarioNow } from '../simulation-sessions/scenario.js'
import { commonOutcomes, ownStatistics } from './common-outcomes.js'
import { outcomesOf } from './outcomes.js'

type Registration = Schema<'AnalysisPlanRegistration'>
type Wording = Omit<Schema<'AnalysisPlan'>, 'registered_at' | 'registered_by'>

/** What is asked for, complete. Throws 422 with every outcome that is named twice. */
export function readPlan(body: Registration): Wording {
  const { primary_outcome, direction, alpha = 0.05, smallest_effect = null } = body
  const guardrails = (body.guardrails ?? []).map(({ outcome, direction }) => {
    return { outcome, direction }
  })
  const named = [primary_outcome, ...guardrails.map(({ outcome }) => outcome)]
  const faults = guardrails.flatMap(({ outcome }, i) => {
    const first = named.indexOf(outcome)
    if (first === i + 1) return []
    return [outcomeFault(i + 1, first === 0 ? 'is the primary outcome' : 'is there before')]
  })
  throwFaults(faults)
  return { primary_outcome, direction, alpha, smallest_effect, guardrails }
}

/** A fault of the primary outcome, which is the first, or of a guardrail. */
function outcomeFault(place: number, message: string): Fault {
  const loc =
    place === 0 ? ['body', 'primary_outcome'] : ['body', 'guardrails', `${place - 1}`, 'outcome']
  return valueFault(loc, message)
}

/** Throws 422 with every outcome that no session can have. */
export function checkKnown({ primary_outcome, guardrails }: Wording, known: string[] | null): void {
  const examples = known ?? [...common, 'rubric:<criterion>', '<statistic>:<beat or channel>']
  const message = `is not known; there are ${examples.join(', ')}`
  const wanted = [primary_outcome, ...guardrails.map(({ outcome }) => outcome)]
  const faults = wanted.flatMap((outcome, place) => {
    const isKnown = known ? known.includes(outcome) : isWellFormed(outcome)
    return isKnown ? [] : [outcomeFault(place, message)]
  })
  throwFaults(faults)
}

const common = commonOutcomes.map(({ outcome }) => outcome)
const statistics = Object.keys(ownStatistics).join('|')
const others = new RegExp(`^(rubric:.+|(${statistics})(:.+)?)$`, 's')

const isWellFormed = (outcome: string) => common.includes(outcome) || others.test(outcome)

/**
 * The outcomes of the scenarios that its sessions play; of its own scenario while it has no session.
 * Null where no scenario is known.
 */
export async function knownOutcomes(
  db: Kysely<Database>,
  catalogue: Catalogue,
  { organization_id, metadata: { scenario_type } }: StoredExperiment,
  played: string[],
): Promise<string[] | null> {
  const own = typeof scenario_type === 'string' ? [scenario_type] : []
  const known = new Set<string>()
  for (const scenario_name of new Set(played.length > 0 ? played : own)) {
    const scenario = await scenarioNow(db, catalogue, { organization_id, scenario_name })
    if (scenario.catalogue_version === null) continue
    for (const { outcome } of outcomesOf(scenario)) known.add(outcome)
  }
  return known.size > 0 ? [...known] : null
}
