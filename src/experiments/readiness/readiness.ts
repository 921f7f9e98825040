import type { Schema } from '../../contract.js'
import { type Check, verdict } from '../../readiness.js'
import {
  type Arm,
  armNames,
  armTooLarge,
  type RunningExperiment,
  type StoredExperiment,
  sessionsInBothArms,
} from '../design.js'
import { checkDecisions, type DecisionsOfArms } from './decisions.js'
import type { NamedSessions } from './named-sessions.js'
import { bestTest, significance } from './smallest-p.js'

/** The checklist before an experiment runs. */
export function readinessOf(
  experiment: StoredExperiment,
  others: RunningExperiment[],
  named: NamedSessions,
  decisions: DecisionsOfArms,
  plan: Schema<'AnalysisPlan'> | null,
): Schema<'ExperimentReadiness'> {
  const best_test = bestTest(experiment, plan?.alpha ?? significance)
  const checks = [
    checkHypothesis(experiment),
    checkOutcomeMeasure(experiment),
    checkPlan(plan),
    checkFilled('control_filled', 'control_session_ids', experiment),
    checkFilled('intervention_filled', 'intervention_session_ids', experiment),
    checkDisjoint(experiment),
    whereBoth(experiment, checkBalanced(experiment)),
    checkPeriod(experiment),
    checkSessionsFree(others),
    checkSessionsExist(named),
    checkSessionsNotStarted(named),
    whereBoth(experiment, checkDecisions(decisions)),
    checkSmallestP(experiment, best_test),
    checkAssignments(experiment),
  ]
  const ready = checks.every(({ passed }) => passed)
  return { experiment_id: experiment._id, ready, checks, best_test }
}

function checkHypothesis({ hypothesis }: StoredExperiment): Check {
  const bad = 'The hypothesis is missing.'
  const fix = 'Write in hypothesis what will differ between the arms, and in which direction.'
  return verdict('hypothesis', hypothesis !== null, 'The hypothesis is written down.', bad, fix)
}

function checkOutcomeMeasure({ metadata: { measures, outcome_measure } }: StoredExperiment): Check {
  const isNamed = typeof outcome_measure === 'string' && outcome_measure.trim() !== ''
  const isListed = Array.isArray(measures) && measures.length > 0
  const bad = 'The outcome measure is missing.'
  const fix = 'Name one in metadata.outcome_measure, or several in the list metadata.measures.'
  return verdict('outcome_measure', isNamed || isListed, 'The outcome measure is named.', bad, fix)
}

function checkPlan(plan: Schema<'AnalysisPlan'> | null): Check {
  const bad = 'No plan says how the arms will be compared.'
  const fix = 'Register it with registerAnalysisPlan while the experiment is a draft.'
  return verdict('analysis_plan', plan !== null, 'The analysis plan is registered.', bad, fix)
}

/** A check that compares the arms. It does not pass while one is empty. */
function whereBoth(experiment: StoredExperiment, check: Check): Check {
  if (!check.passed || armNames.every((arm) => experiment[arm].length > 0)) return check
  const fix = 'Assign sessions with assignSessions.'
  return verdict(check.check, false, '', 'An arm has no session to compare.', fix)
}

function checkFilled(check: string, arm: Arm, { [arm]: sessions }: StoredExperiment): Check {
  const name = arm.replace('_session_ids', '')
  const good = `The ${name} arm has ${counted(sessions.length, 'session')}.`
  const fix = `Assign sessions with assignSessions, or name some in ${arm}.`
  return verdict(check, sessions.length > 0, good, `The ${name} arm has no session.`, fix)
}

function checkDisjoint(experiment: StoredExperiment): Check {
  const both = sessionsInBothArms(experiment)
  const bad = `In both arms: ${firstFive(both)}.`
  const fix = 'Take them out of control_session_ids or of intervention_session_ids.'
  return verdict('disjoint', both.length === 0, 'No session is in both arms.', bad, fix)
}

function checkBalanced(experiment: StoredExperiment): Check {
  const arm = armTooLarge(experiment)
  const good = 'Neither arm is more than twice as large as the other.'
  const bad = 'One arm is more than twice as large as the other.'
  const fix = `Assign all sessions again with assignSessions, or take some out of ${arm}.`
  return verdict('balanced', arm === null, good, bad, fix)
}

function checkPeriod({ start_at, end_at }: StoredExperiment): Check {
  const missing = [...(start_at ? [] : ['start_at']), ...(end_at ? [] : ['end_at'])]
  const good = 'The start and the end are planned.'
  const bad = 'The start or the end is not planned.'
  return verdict('period_set', missing.length === 0, good, bad, `Set ${missing.join(' and ')}.`)
}

function checkSessionsFree(others: RunningExperiment[]): Check {
  const users = others.map(({ _id, name, first, count }) => {
    return `${name ?? _id} (${firstFive(first, count)})`
  })
  const good = 'No other running experiment uses one of its sessions.'
  const bad = `Other running experiments use some of its sessions: ${firstFive(users)}.`
  const fix = 'Leave these sessions out of both arms, or end the other experiments first.'
  return verdict('sessions_free', users.length === 0, good, bad, fix)
}

function checkSessionsExist({ unknown }: NamedSessions): Check {
  const bad = `The organization has no such session: ${firstFive([...unknown])}.`
  const fix = 'Create sessions with createSession, and assign their _ids with assignSessions.'
  return verdict('sessions_exist', unknown.size === 0, 'All sessions exist.', bad, fix)
}

function checkSessionsNotStarted({ begun }: NamedSessions): Check {
  const started = [...begun].map(([id, status]) => `${id} (${status})`)
  const bad = `Some sessions have started already: ${firstFive(started)}.`
  const fix = 'Assign sessions that are draft or scheduled, with assignSessions.'
  return verdict('sessions_not_started', begun.size === 0, 'No session has started.', bad, fix)
}

function checkSmallestP(experiment: StoredExperiment, best: Schema<'BestTest'>): Check {
  const { smallest_p: p, alpha, fewest_sessions } = best
  const sizes = armNames.map((arm) => experiment[arm].length).join(' and ')
  const least = p < 0.0001 ? 'less than 0.0001' : `${Number(p.toPrecision(2))}`
  const reached = `With ${sizes} sessions the smallest p that the test can reach is ${least}`
  const good = `${reached}, and alpha is ${alpha}. Only the most extreme result has that p.`
  const bad = `${reached}, above alpha (${alpha}): no difference can be significant. ${fewest_sessions} sessions, half of them in each arm, can reach alpha.`
  const fix = `Assign at least ${fewest_sessions} sessions with assignSessions, in few blocks or in none.`
  return verdict('smallest_p', p <= alpha, good, bad, fix)
}

function checkAssignments({ assignment, assignment_ids: ids }: StoredExperiment): Check {
  const how = assignment ? 'at random' : `in ${counted(ids.length, 'assignment')}`
  const good = `The sessions were assigned ${how}.`
  const fix = 'Assign the sessions with assignSessions, or name assignments in assignment_ids.'
  const bad = 'The sessions were not assigned.'
  return verdict('assignments_present', assignment !== null || ids.length > 0, good, bad, fix)
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function firstFive(texts: string[], count = texts.length): string {
  const more = count > 5 ? ` and ${count - 5} more` : ''
  return texts.slice(0, 5).join(', ') + more
}
