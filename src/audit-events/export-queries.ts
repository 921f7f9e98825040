import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../database/statements.js'
import { conditionsOf, type Filters, filterNames } from './queries.js'

/** A part of the trail, after one number and up to another. */
export interface Range {
  organization_id: string
  after: number
  to: number
}

/** How many numbers a part has at most: one that is filtered may be longer, for it gives less. */
export const longest = { whole: 500, filtered: 5_000 }

/** The documents of a part that every filter lets through, in the order of the trail. */
export const selectDocuments = prepare(
  'select_documents',
  (db, { organization_id, after, to, ...filters }: ParametersOf<Range & Filters>) => {
    const part = db
      .selectFrom('audit_seals')
      .select(['sequence', 'event_id'])
      .where('organization_id', '=', organization_id)
      .where('sequence', '>', after)
      .where('sequence', '<=', to)
      .orderBy('sequence')
      // Said, because PostgreSQL cannot know how little is between two numbers it does not know.
      .limit(sql.lit(longest.filtered))
    const query = db
      .selectFrom('audit_events')
      .innerJoin(part.as('part'), 'event_id', '_id')
      .select('document')
      .where('organization_id', '=', organization_id)
      .orderBy('sequence')
    return conditionsOf(filters).reduce((all, one) => all.where(one), query)
  },
  { planAnew: (given) => given.some((name) => filterNames.has(name)) },
)
