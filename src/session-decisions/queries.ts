import { sql } from 'kysely'
import type { Db } from '../database/schema.js'
import type { OfSession } from '../simulation-sessions/queries.js'

/** The lines of a plan that ask for a decision, in the order of the plan. */
export function selectAsks(db: Db, { organization_id, session_id }: OfSession) {
  return db
    .selectFrom('session_plan')
    .select(['beat', 'conversation_id', 'expectation', 'fallback_option'])
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('fallback_option', 'is not', null)
    .orderBy('position')
    .execute()
}

export type Ask = Awaited<ReturnType<typeof selectAsks>>[number]

/** How many lines are read of a plan: enough for 20 lines of each option of 20 decisions. */
const maxLines = 5_000

/** How many characters of a text those who lead see. */
const shownCharacters = 300

/** The lines of a plan that depend on decisions, and their replies, in the order of the plan. */
export function selectDependentLines(db: Db, { organization_id, session_id }: OfSession) {
  return db
    .selectFrom('session_plan as line')
    .leftJoin('session_plan as root', (join) =>
      join
        .onRef('root.organization_id', '=', 'line.organization_id')
        .onRef('root.session_id', '=', 'line.session_id')
        .onRef('root.position', '=', 'line.parent_position'),
    )
    .select(['line.position', 'line.parent_position', 'line.conversation_id', 'line.sender_id'])
    .select(['line.kind', 'line.conditions', 'line.lapses', 'line.acknowledges'])
    .select(sql<string>`left(line.content, ${sql.lit(shownCharacters)})`.as('content'))
    .where('line.organization_id', '=', organization_id)
    .where('line.session_id', '=', session_id)
    .where((eb) =>
      eb.or([eb('line.conditions', 'is not', null), eb('root.conditions', 'is not', null)]),
    )
    .orderBy('line.position')
    .limit(maxLines)
    .execute()
}

export type DependentLine = Awaited<ReturnType<typeof selectDependentLines>>[number]
