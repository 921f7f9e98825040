import type { Schema } from '../../contract.js'
import type { FrozenScenario } from '../../database/tables/frozen-scenario.js'
import type { ContractError } from '../../errors.js'
import type { Experiments } from '../../experiments/session-queries.js'
import { type Check, verdict } from '../../readiness.js'
import { canStart } from '../lifecycle.js'
import type { StoredSession } from '../queries.js'
import type { Provisions } from './readiness-queries.js'

type Session = Pick<StoredSession, 'mode' | 'status' | 'scenario_name' | 'started_at'>
type Roles = Pick<FrozenScenario, 'participant_roles'>

/** Checks what a session needs before it starts. */
export function checksBefore(session: Session, found: Provisions, scenario: Roles): Check[] {
  return [
    checkParticipants(found),
    checkRoles(found, scenario),
    checkCast(session, found),
    checkMessages(session, found),
  ]
}

/** Checks the experiment with which a session would start. */
export function checkExperiment([experiment]: Experiments): Check {
  const good = experiment ? 'Its experiment runs.' : 'It is in no experiment.'
  const bad = `Its experiment does not run: it is ${experiment?.status}.`
  const fix = 'Set the status of the experiment to running first, by updateExperiment.'
  return verdict('experiment', !experiment || experiment.status === 'running', good, bad, fix)
}

/** The result of trying to start a session. */
interface TriedStart {
  /** How many messages a start would plan. */
  planned: number
  /** The limit that the plan exceeds. */
  tooLong: ContractError | null
  /** The limit of running sessions, if it is reached. */
  overLimit: ContractError | null
}

/** Checks the result of trying to start a session. */
export function checksOfStart(session: Session, tried: TriedStart): Check[] {
  return [checkNotStarted(session), checkPlan(session, tried), checkLimits(tried)]
}

/** The failed checks, as warnings in an answer. */
export function warningsOf({ scenario_name }: Session, checks: Check[]): Schema<'Warning'>[] {
  return checks.flatMap(({ check, passed, message }) => {
    if (passed) return []
    const isOfTeam = check === 'participants' || check === 'roles'
    return isOfTeam
      ? { field: 'participants', value: null, message }
      : { field: 'scenario_name', value: scenario_name, message }
  })
}

function checkParticipants({ role_keys: { length } }: Provisions): Check {
  const good = length === 1 ? 'One person takes part.' : `${length} people take part.`
  const fix = 'Name people of the organization by setParticipants.'
  return verdict('participants', length > 0, good, 'It has no active participants.', fix)
}

function checkRoles({ role_keys }: Provisions, { participant_roles }: Roles): Check {
  if (participant_roles.length === 0) {
    const bad = 'The scenario has no roles, so its participants have no private briefing.'
    return verdict('roles', false, '', bad, 'Set up a scenario that has roles by applyQuickSetup.')
  }
  const free = participant_roles.filter(({ role_key }) => !role_keys.includes(role_key))
  const names = free.map(({ role_key }) => role_key).join(', ')
  const fix = 'Give participants a role_key by setParticipants.'
  return verdict(
    'roles',
    free.length === 0,
    'Every role is taken.',
    `No active participant has the roles ${names}.`,
    fix,
  )
}

function checkCast({ scenario_name }: Session, found: Provisions): Check {
  const bad = `No character speaks in ${scenario_name}.`
  const fix = 'Set up the scenario by applyQuickSetup, or prepare messages of characters.'
  const passed = found.has_characters || found.has_messages
  return verdict('cast', passed, 'The scenario has characters.', bad, fix)
}

function checkMessages({ mode, scenario_name }: Session, { has_messages }: Provisions): Check {
  const good = mode === 'external' ? 'Bots speak, nothing is prepared.' : 'Messages are prepared.'
  const bad = `No active channel template of ${scenario_name} has a message.`
  const fix = 'Set up the scenario by applyQuickSetup, or make templates by createChannelTemplate.'
  return verdict('messages', mode === 'external' || has_messages, good, bad, fix)
}

function checkNotStarted(session: Session): Check {
  const good =
    session.status === 'failed' ? 'It can be started by retrySession.' : 'It has not started.'
  const bad = `It is ${session.status}: a session starts once.`
  const fix = 'Create another session by createSession.'
  return verdict('not_started', canStart(session), good, bad, fix)
}

function checkPlan(session: Session, { planned, tooLong }: TriedStart): Check {
  const isExternal = session.mode === 'external'
  const good = isExternal ? 'It has no plan.' : `It would plan ${planned} messages.`
  const passed = canStart(session) && tooLong === null && (isExternal || planned > 0)
  if (!canStart(session)) {
    const fix = 'Create another session by createSession.'
    return verdict('plan', passed, good, 'It was not tried: the session cannot start.', fix)
  }
  if (tooLong) {
    const fix = 'Shorten the templates of the scenario.'
    return verdict('plan', passed, good, 'It was not tried to its end: it meets a limit.', fix)
  }
  const fix = 'Read warnings, and mend the metadata of the messages they name.'
  return verdict('plan', passed, good, 'None of its messages would be planned.', fix)
}

function checkLimits({ tooLong, overLimit }: TriedStart): Check {
  const details = [tooLong, overLimit].flatMap((refusal) =>
    refusal && 'code' in refusal.body ? `${refusal.body.detail}.` : [],
  )
  const fix = 'Read getUsage, and end sessions or shorten the templates of the scenario.'
  const good = 'It is within the limits.'
  return verdict('limits', details.length === 0, good, details.join(' '), fix)
}
