import type { Expression } from 'kysely'
import { isLike, jsonColumns } from '../database/expressions.js'
import { preparePage } from '../database/lists/lists.js'
import { type After, afterPosition, byTime, newestFirst } from '../database/lists/pages.js'
import { selectPageOfRows } from '../database/lists/row-pages.js'
import type { Db } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import type { ParametersOf } from '../database/statements.js'
import { experimentColumns } from './queries.js'

interface Filters extends After {
  status: string | null
  /** A LIKE pattern for the name. */
  pattern: string | null
}

/** A page of experiments, newest first. */
export function selectExperiments(db: Db, scope: Scope, filters: Filters, limit?: number) {
  return scope === 'every organization'
    ? selectFromEveryOrganization(db, filters, limit)
    : selectFromOrganization(db, { ...scope, ...filters }, limit)
}

const selectFromOrganization = preparePage(
  'select_experiments',
  (db, { organization_id, ...filters }: ParametersOf<Filters & { organization_id: string }>) =>
    filterExperiments(db, { organization_id }, filters).select(
      jsonColumns('experiments', experimentColumns),
    ),
  {
    planAnew: (given) => given.includes('status') && given.includes('pattern'),
    // An experiment may name thousands of sessions.
    hasLongRows: true,
  },
)

function selectFromEveryOrganization(db: Db, filters: Filters, limit?: number) {
  const read = (next: Partial<After>) =>
    filterExperiments(db, 'every organization', { ...filters, ...next }).select(experimentColumns)
  return selectPageOfRows({ order: byTime, after: afterPosition, read }, limit)
}

function filterExperiments(
  db: Db,
  scope: Scope<string | Expression<string>>,
  { status, pattern, ...after }: Filters | ParametersOf<Filters>,
) {
  const query = inScope(db.selectFrom('experiments'), 'experiments', scope)
    .$if(status !== null, (query) => query.where('status', '=', status))
    .$if(pattern !== null, (query) => query.where(isLike('name', pattern)))
  return newestFirst(query, 'experiments', after)
}
