import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../../database/statements.js'
import {
  endAtBound,
  isWithinBound,
  type Range,
  sealsIn,
  totalBytes,
} from '../chain/chain-queries.js'
import { conditionsOf, type Filters, filterNames } from '../queries.js'

/** The most numbers in a part. A filtered part may be longer, because it returns fewer documents. */
export const maxNumbers = { whole: 500, filtered: 5_000 }

/** The documents of a part that pass all filters, in the order of the trail, up to 4 MiB. */
export const selectDocuments = prepare(
  'select_documents',
  (db, { organization_id, after, to, ...filters }: ParametersOf<Range & Filters>) => {
    const conditions = conditionsOf(filters)
    const limit = conditions.length > 0 ? maxNumbers.filtered : maxNumbers.whole
    const part = sealsIn(db, { organization_id, after, to }, limit)
    const query = db
      .selectFrom('audit_events')
      .innerJoin(part.as('part'), 'event_id', '_id')
      .select(['sequence', 'document', totalBytes(sql`sequence`).as('total')])
      .where('organization_id', '=', organization_id)
    const filtered = conditions.reduce((all, one) => all.where(one), query)
    return db
      .selectFrom(filtered.as('filtered'))
      .select(['document', endAtBound.as('end_at_bound')])
      .where(isWithinBound)
      .orderBy('sequence')
  },
  { planAnew: (given) => given.some((name) => filterNames.has(name)) },
)
