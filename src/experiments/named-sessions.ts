import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { isId } from '../identifiers.js'
import { type StoredExperiment, sessionsOf } from './design.js'
import { selectStatuses } from './session-status-queries.js'

/** What is doubtful about sessions that the arms of an experiment name. */
export interface NamedSessions {
  /** Ids that look like those of sessions here, and belong to none. */
  unknown: Set<string>
  /** Sessions that have left `draft` and `scheduled` before the experiment has, with their status. */
  begun: Map<string, Schema<'SessionStatus'>>
}

/**
 * Looks up the sessions of both arms. Ids of another form are left alone: they may be those of sessions
 * outside this service.
 */
export async function findNamedSessions(
  db: Kysely<Database>,
  experiment: StoredExperiment,
): Promise<NamedSessions> {
  const ids = sessionsOf(experiment).filter(isId)
  const statuses = await selectStatuses(db, experiment.organization_id, ids)
  const found: NamedSessions = { unknown: new Set(), begun: new Map() }
  const isDraft = experiment.status === 'draft'
  for (const id of ids) {
    const status = statuses.get(id)
    if (!status) found.unknown.add(id)
    else if (isDraft && status !== 'draft' && status !== 'scheduled') found.begun.set(id, status)
  }
  return found
}
