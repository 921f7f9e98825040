import { type AuditEvent, changesBetween, recordAuditEvents } from '../audit-events/record.js'
import type { Handler, Schema } from '../contract.js'
import { entityTagOf, requireMatch } from '../entity-tags.js'
import { experimentNotFound } from '../errors.js'
import { isId } from '../identifiers.js'
import { scopeOf } from '../identity/caller.js'
import { inUtc } from '../timestamps.js'
import { mergeMetadata, updatedText } from '../updates.js'
import { checkDesign, nextStage } from './lifecycle.js'
import * as queries from './queries.js'
import { withWarnings } from './warnings.js'

type StoredExperiment = Omit<Schema<'Experiment'>, 'warnings'>

export const updateExperiment: Handler<'updateExperiment'> = async (request, reply) => {
  const { body } = request
  const { experiment_id } = request.params
  if (!isId(experiment_id)) throw experimentNotFound()

  return request.server.db.transaction().execute(async (trx) => {
    const scope = scopeOf(request)
    const owner =
      scope === 'every organization'
        ? await queries.selectExperimentOwner(trx, experiment_id)
        : scope.organization_id
    const stored = owner && (await queries.selectExperimentForUpdate(trx, owner, experiment_id))
    if (!stored) throw experimentNotFound()
    const { has_run, ...before } = stored
    requireMatch(request, entityTagOf(await withWarnings(trx, before)))
    const wanted = applyUpdate(before, body)
    checkDesign(wanted, body)
    const stage = nextStage({ status: before.status, has_run }, wanted.status)

    const changes = changesBetween(before, wanted)
    const after =
      Object.keys(changes).length === 0
        ? before
        : await queries.updateExperiment(trx, wanted, stage.has_run)
    await recordAuditEvents(trx, request, experimentEvents(before, changes))
    const answer = await withWarnings(trx, after)
    reply.header('etag', entityTagOf(answer))
    return answer
  })
}

/** The experiment as a request wants it: null leaves a field as it is. */
function applyUpdate(stored: StoredExperiment, body: Schema<'ExperimentUpdate'>): StoredExperiment {
  const list = (wanted: string[] | null | undefined, kept: string[]) =>
    wanted ? [...new Set(wanted)] : kept
  const time = (wanted: string | null | undefined, kept: string | null) =>
    wanted ? inUtc(wanted) : kept
  return {
    ...stored,
    name: updatedText(stored.name, body.name),
    hypothesis: updatedText(stored.hypothesis, body.hypothesis),
    status: body.status ?? stored.status,
    control_session_ids: list(body.control_session_ids, stored.control_session_ids),
    intervention_session_ids: list(body.intervention_session_ids, stored.intervention_session_ids),
    assignment_ids: list(body.assignment_ids, stored.assignment_ids),
    start_at: time(body.start_at, stored.start_at),
    end_at: time(body.end_at, stored.end_at),
    metadata: body.metadata ? mergeMetadata(stored.metadata, body.metadata) : stored.metadata,
  }
}

function experimentEvents(
  { _id: experiment_id, organization_id }: StoredExperiment,
  { status, ...changes }: AuditEvent['changes'] & object,
): AuditEvent[] {
  const event = { organization_id, category: 'experiment', metadata: { experiment_id } }
  const events: AuditEvent[] = []
  if (Object.keys(changes).length > 0) {
    events.push({ ...event, event_type: 'experiment_updated', changes })
  }
  if (status) {
    events.push({ ...event, event_type: 'experiment_status_changed', changes: { status } })
  }
  return events
}
