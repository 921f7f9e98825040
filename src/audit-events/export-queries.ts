import { type ParametersOf, prepare } from '../database/statements.js'
import { type Range, sealsIn } from './chain-queries.js'
import { conditionsOf, type Filters, filterNames } from './queries.js'

/** How many numbers a part has at most: one that is filtered may be longer, for it gives less. */
export const longest = { whole: 500, filtered: 5_000 }

/** The documents of a part that every filter lets through, in the order of the trail. */
export const selectDocuments = prepare(
  'select_documents',
  (db, { organization_id, after, to, ...filters }: ParametersOf<Range & Filters>) => {
    const part = sealsIn(db, { organization_id, after, to }, longest.filtered)
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
