import { sql } from 'kysely'
import type { Db } from '../database/schema.js'
import type { OfSession } from '../simulation-sessions/queries.js'

/** How many lines are read of a plan: enough for 20 lines of each option of 20 decisions. */
const maxLines = 5_000

/** How many characters of a text those who lead see. One more is read: it tells whether an emoji ends here. */
export const shownCharacters = 300

/**
 * The lines of a plan that ask for decisions, then the lines that depend on decisions and their
 * replies: one statement, for the plan is deleted when the session ends.
 */
export function selectDecisionLines(db: Db, { organization_id, session_id }: OfSession) {
  return db
    .selectFrom('session_plan as line')
    .leftJoin('session_plan as root', (join) =>
      join
        .onRef('root.organization_id', '=', 'line.organization_id')
        .onRef('root.session_id', '=', 'line.session_id')
        .onRef('root.position', '=', 'line.parent_position'),
    )
    .select([
      'line.position',
      'line.offset_ms',
      'line.parent_position',
      'line.conversation_id',
      'line.sender_id',
    ])
    .select(['line.kind', 'line.conditions', 'line.lapses', 'line.acknowledges'])
    .select(['line.expectation', 'line.fallback_option', 'root.lapses as root_lapses'])
    .select(sql<string>`left(line.content, ${sql.lit(shownCharacters + 1)})`.as('content'))
    .where('line.organization_id', '=', organization_id)
    .where('line.session_id', '=', session_id)
    .where((eb) =>
      eb.or([
        eb('line.fallback_option', 'is not', null),
        eb('line.conditions', 'is not', null),
        eb('root.conditions', 'is not', null),
      ]),
    )
    .orderBy(sql`line.fallback_option is null`)
    .orderBy('line.position')
    .limit(maxLines)
    .execute()
}

export type DecisionLine = Awaited<ReturnType<typeof selectDecisionLines>>[number]
