import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import type { Catalogue } from '../blueprints/catalogue/entries.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { entityTagOf } from '../entity-tags.js'
import { dueAt, elapsedMs } from './clock.js'
import { canStart } from './lifecycle.js'
import { countParticipants } from './participant-queries.js'
import type { StoredSession } from './queries.js'
import { checksBefore, warningsOf } from './readiness.js'
import { selectProvisions } from './readiness-queries.js'
import { scenarioNow } from './scenario.js'

/** A failure that was stored by an earlier version names no limit. */
const noLimit = { quota: null, used: null, allowed: null }

/** Names what people decided of a session and its status, not what time brings. */
export function sessionTag({ _id, status, updated_at }: StoredSession): string {
  return entityTagOf({ _id, status, updated_at })
}

/** The answer to somebody who leads a session, and the entity tag that names it. */
export async function answerWith(
  reply: FastifyReply,
  db: Kysely<Database>,
  session: StoredSession,
  now: string,
): Promise<Schema<'SimulationSession'>> {
  reply.header('etag', sessionTag(session))
  const { _id: session_id, organization_id, deviations, status, failure } = session
  const next_due_at = dueAt(session)
  const counts = await countParticipants(db, { organization_id, session_id })
  const { last_seq, withheld, next_position, planned } = session
  return {
    ...definitionOf(session),
    warnings: canStart(session)
      ? await warningsBefore(db, reply.server.catalogue, session)
      : session.warnings,
    clock: {
      elapsed_ms: elapsedMs(session, now),
      shifted_ms: deviations.reduce((sum, { shift_ms }) => sum + shift_ms, 0),
    },
    counts: {
      ...counts,
      planned,
      posted: next_position - withheld,
      withheld,
      messages: last_seq,
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
    ...{ _id, organization_id, name, scenario_name, timing, speed, mode, status },
    ...{ starts_at, ends_after_minutes, rater_ids, started_at, ended_at },
    ...{ conversations, metadata, created_by, created_at, updated_at },
  }
}

/** What is missing before a session starts. */
async function warningsBefore(
  db: Kysely<Database>,
  catalogue: Catalogue,
  session: StoredSession,
): Promise<Schema<'Warning'>[]> {
  const scenario = await scenarioNow(db, catalogue, session)
  return warningsOf(session, checksBefore(session, await selectProvisions(db, session), scenario))
}

/**
 * The same for everybody else: nothing by which one could tell the arm, what a trainer said as a
 * character, what nobody needed any more, or what comes next.
 */
export function withoutBackstage(answer: Schema<'SimulationSession'>): Schema<'SimulationSession'> {
  return {
    ...answer,
    counts: { ...answer.counts, planned: null, posted: null, withheld: null },
    next_due_at: null,
    lag_ms: null,
    failure: null,
    rater_ids: [],
    warnings: [],
    metadata: {},
  }
}
