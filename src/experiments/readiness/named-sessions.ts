import type { Schema } from '../../contract.js'
import type { Db } from '../../database/schema.js'
import { isId } from '../../formats/identifiers.js'
import { type StoredExperiment, sessionsOf } from '../design.js'
import type { ScenariosOfArms } from './decisions.js'
import { selectSessions } from './session-status-queries.js'

/** The sessions that the arms of an experiment name. */
export interface NamedSessions {
  /** Ids that have the form of a session's id here, but belong to no session. */
  unknown: Set<string>
  /** Sessions that have started before the experiment, with their status. */
  begun: Map<string, Schema<'SessionStatus'>>
  /** The scenarios of those that exist. */
  scenarios: ScenariosOfArms
}

/**
 * Looks up the sessions of both arms. Skips ids of another form: they may belong to sessions outside
 * this service.
 */
export async function findNamedSessions(
  db: Db,
  experiment: StoredExperiment,
): Promise<NamedSessions> {
  const ids = sessionsOf(experiment).filter(isId)
  const sessions = await selectSessions(db, experiment.organization_id, ids)
  const found: NamedSessions = {
    unknown: new Set(),
    begun: new Map(),
    scenarios: {
      control: scenariosOf(experiment.control_session_ids, sessions),
      intervention: scenariosOf(experiment.intervention_session_ids, sessions),
    },
  }
  const isDraft = experiment.status === 'draft'
  for (const id of ids) {
    const session = sessions.get(id)
    if (!session) {
      found.unknown.add(id)
      continue
    }
    const { status } = session
    if (isDraft && status !== 'draft' && status !== 'scheduled') found.begun.set(id, status)
  }
  return found
}

function scenariosOf(ids: string[], sessions: ReadonlyMap<string, { scenario_name: string }>) {
  const isWhole = ids.length > 0 && ids.every((id) => sessions.has(id))
  return { names: new Set(ids.flatMap((id) => sessions.get(id)?.scenario_name ?? [])), isWhole }
}
