import type { FastifyReply } from 'fastify'
import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Schema } from '../contract.js'
import type { Db } from '../database/schema.js'
import { selectExperimentsWithSession } from '../experiments/session-queries.js'
import { entityTagOf, setEntityTag } from '../formats/entity-tags.js'
import { dueAt, elapsedMs, endIsOpen, endsAt } from './clock/clock.js'
import { countDecisions } from './decisions/queries.js'
import { countOpen } from './expectation-queries.js'
import { canStart, hasEnded } from './lifecycle.js'
import type { StoredSession } from './queries.js'
import { checksBefore, warningsOf } from './start/readiness.js'
import { selectProvisions } from './start/readiness-queries.js'
import { scenarioNow } from './start/scenario.js'
import { countParticipants } from './team/participant-queries.js'

/** Failures that an earlier version stored have no limit fields. */
const noLimit = { quota: null, used: null, allowed: null }

/** The entity tag of a session. It changes with the fields that people edit and with the status. */
export function sessionTag({ _id, status, updated_at }: StoredSession): string {
  return entityTagOf({ _id, status, updated_at })
}

/** Returns the session as a trainer sees it, and sets the `ETag` header. */
export async function answerWith(
  reply: FastifyReply,
  db: Db,
  session: StoredSession,
  now: string,
): Promise<Schema<'SimulationSession'>> {
  setEntityTag(reply, sessionTag(session))
  const { _id: session_id, organization_id, deviations, status, failure } = session
  const next_due_at = dueAt(session)
  const counts = await countParticipants(db, { organization_id, session_id }, hasEnded(status))
  const { last_seq, withheld, posted, planned } = session
  return {
    ...definitionOf(session),
    warnings: canStart(session)
      ? await warningsBefore(db, reply.server.catalogue, session)
      : session.warnings,
    clock: {
      elapsed_ms: elapsedMs(session, now),
      as_of: now,
      shifted_ms: deviations.reduce((sum, { shift_ms }) => sum + shift_ms, 0),
    },
    ends_at: endsAt(session),
    experiment_id: await experimentOf(db, session),
    counts: {
      ...counts,
      planned,
      posted,
      withheld,
      messages: last_seq,
      open_expectations: await countOpen(db, session),
      ...(await countDecisions(db, { organization_id, session_id })),
    },
    next_due_at,
    lag_ms: next_due_at === null ? null : Math.max(0, Date.parse(now) - Date.parse(next_due_at)),
    deviations,
    failure: status === 'failed' && failure ? { ...noLimit, ...failure } : null,
  }
}

function definitionOf(session: StoredSession) {
  const { _id, organization_id, name, scenario_name, timing, speed, mode, status } = session
  const { starts_at, ends_after_minutes, rater_ids, started_at, ended_at } = session
  const { conversations, metadata, created_by, created_at, updated_at } = session
  return {
    _id,
    organization_id,
    name,
    scenario_name,
    timing,
    speed,
    mode,
    status,
    starts_at,
    ends_after_minutes,
    rater_ids,
    started_at,
    ended_at,
    conversations,
    metadata,
    created_by,
    created_at,
    updated_at,
  }
}

/** The experiment with which a session started, or would start now. */
async function experimentOf(
  db: Db,
  { organization_id, _id, started_at, experiment_id }: StoredSession,
): Promise<string | null> {
  if (started_at) return experiment_id
  const [experiment] = await selectExperimentsWithSession(db, organization_id, _id)
  return experiment?._id ?? null
}

/** Warnings about what is missing for a start. */
async function warningsBefore(
  db: Db,
  catalogue: Catalogue,
  session: StoredSession,
): Promise<Schema<'Warning'>[]> {
  const scenario = await scenarioNow(db, catalogue, session)
  return warningsOf(session, checksBefore(session, await selectProvisions(db, session), scenario))
}

/**
 * Hides what only trainers may see: the experiment, withheld messages, the next messages, and all that
 * could give away the arm or the messages that a trainer wrote as a character.
 */
export function withoutTrainerFields(
  answer: Schema<'SimulationSession'>,
): Schema<'SimulationSession'> {
  return {
    ...answer,
    ends_at: endIsOpen(answer) ? answer.ends_at : null,
    experiment_id: null,
    counts: { ...answer.counts, planned: null, posted: null, withheld: null },
    next_due_at: null,
    lag_ms: null,
    failure: null,
    rater_ids: [],
    warnings: [],
    metadata: {},
  }
}
