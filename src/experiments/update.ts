import { type AuditEvent, changesBetween } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import { inUtc } from '../formats/timestamps.js'
import { mergeMetadata, updatedText, updatedValue } from '../updates.js'
import { haveSameArms, type StoredExperiment } from './design.js'

type Update = Partial<Schema<'ExperimentUpdate'>>
/** The fields that people decide about. */
type Design = Omit<
  StoredExperiment,
  '_id' | 'organization_id' | 'created_by' | 'created_at' | 'updated_at'
>

/** A draft before any decision. */
export const emptyDraft: Design = {
  name: null,
  hypothesis: null,
  status: 'draft',
  control_session_ids: [],
  intervention_session_ids: [],
  assignment: null,
  assignment_ids: [],
  start_at: null,
  end_at: null,
  metadata: {},
}

/** The experiment after an update. Null leaves a field as it is. */
export function applyUpdate<Stored extends Design>(stored: Stored, update: Update): Stored {
  const list = (wanted: string[] | null | undefined, kept: string[]) =>
    wanted ? [...new Set(wanted)] : kept
  const time = (field: 'start_at' | 'end_at') => {
    const wanted = updatedValue(stored[field], update, field)
    return wanted && inUtc(wanted)
  }
  const arms = {
    control_session_ids: list(update.control_session_ids, stored.control_session_ids),
    intervention_session_ids: list(
      update.intervention_session_ids,
      stored.intervention_session_ids,
    ),
  }
  return {
    ...stored,
    ...arms,
    // The record no longer holds once the arms differ.
    assignment: haveSameArms(stored, arms) ? stored.assignment : null,
    name: updatedText(stored.name, update.name),
    hypothesis: updatedText(stored.hypothesis, update.hypothesis),
    status: update.status ?? stored.status,
    assignment_ids: list(update.assignment_ids, stored.assignment_ids),
    start_at: time('start_at'),
    end_at: time('end_at'),
    metadata: update.metadata ? mergeMetadata(stored.metadata, update.metadata) : stored.metadata,
  }
}

/** The audit events of an update, one for each kind of change. */
export function updateEvents(before: StoredExperiment, wanted: StoredExperiment): AuditEvent[] {
  const { status, ...changes } = changesBetween(before, wanted)
  const events: AuditEvent[] = []
  if (Object.keys(changes).length > 0) {
    events.push(experimentEvent(before, 'experiment_updated', changes))
  }
  if (status) events.push(experimentEvent(before, 'experiment_status_changed', { status }))
  return events
}

export function experimentEvent(
  { _id: experiment_id, organization_id }: StoredExperiment,
  event_type: string,
  changes: AuditEvent['changes'],
  metadata: object = {},
): AuditEvent {
  const ids = { experiment_id, ...metadata }
  return { organization_id, category: 'experiment', event_type, metadata: ids, changes }
}
