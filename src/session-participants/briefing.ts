import type { Schema } from '../contract.js'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import type { CastMember } from '../simulation-sessions/cast-queries.js'
import type { FoundSession } from '../simulation-sessions/find-session.js'
import type { Participant } from '../simulation-sessions/participant-queries.js'
import { briefedPlace, roleOf } from './places.js'

/**
 * What somebody may know of a session. Field by field: what a scenario holds beside these is for
 * those who lead, and so is whatever it will hold one day.
 */
export function briefingOf(
  { session, part }: FoundSession,
  scenario: FrozenScenario,
  places: Participant[],
  cast: CastMember[],
): Schema<'SessionBriefing'> {
  const { _id: session_id, name, status, starts_at, scenario_name } = session
  const { label, description, channels } = scenario
  return {
    session_id,
    name,
    status,
    starts_at,
    scenario_name,
    label,
    description,
    role: roleOf(scenario, part.assignment?.role_key ?? null),
    participants: places.map((place) => briefedPlace(scenario, place)),
    cast: cast.map(briefedCharacter),
    channels,
    facilitator: part.kind === 'trainer' ? facilitatorBriefing(scenario) : null,
  }
}

function briefedCharacter({ _id: character_id, full_name, title, department }: CastMember) {
  return { character_id, full_name, title, department }
}

function facilitatorBriefing(scenario: FrozenScenario): Schema<'FacilitatorBriefing'> {
  const { participant_roles: roles, beats, decision_points, rubric, run_sheet } = scenario
  return { roles, beats, decision_points, rubric, run_sheet }
}
