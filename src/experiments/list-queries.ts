import { type Expression, type Kysely, sql } from 'kysely'
import { JsonText } from '../contract.js'
import { jsonColumns } from '../database/expressions.js'
import { preparePage } from '../database/lists.js'
import { type After, byTime, newestFirst, positionOf, usualLimit } from '../database/pages.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import type { ParametersOf } from '../database/statements.js'
import { experimentColumns } from './queries.js'

type Db = Kysely<Database>

interface Filters extends After {
  status: string | null
  /** A LIKE pattern for the name, whatever its case. */
  pattern: string | null
}

/** A page of experiments, newest first. */
export function selectExperiments(db: Db, scope: Scope, filters: Filters, limit = usualLimit) {
  return scope === 'every organization'
    ? selectOfEveryOrganization(db, filters, limit)
    : selectOfOrganization(db, { ...scope, ...filters }, limit)
}

const selectOfOrganization = preparePage(
  'select_experiments',
  (db, { organization_id, ...filters }: ParametersOf<Filters & { organization_id: string }>) =>
    filterExperiments(db, { organization_id }, filters).select(
      jsonColumns('experiments', experimentColumns),
    ),
)

/** As rows: a cluster does not know the names any more when it makes JSON of several nodes' rows. */
async function selectOfEveryOrganization(db: Db, filters: Filters, limit: number) {
  const found = await filterExperiments(db, 'every organization', parametersOf(filters))
    .select(experimentColumns)
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  const end = found.length > limit ? rows.at(-1) : undefined
  const last = end ? positionOf(byTime, end) : null
  return { rows: new JsonText<typeof rows>(JSON.stringify(rows)), last }
}

const parametersOf = (filters: Filters): ParametersOf<Filters> => ({
  status: parameterOf(filters.status),
  pattern: parameterOf(filters.pattern),
  after_created_at: parameterOf(filters.after_created_at),
  after_id: parameterOf(filters.after_id),
})
const parameterOf = (text: string | null) => (text === null ? null : sql.val(text))

function filterExperiments(
  db: Db,
  scope: Scope<string | Expression<string>>,
  { status, pattern, ...after }: ParametersOf<Filters>,
) {
  const query = inScope(db.selectFrom('experiments'), 'experiments', scope)
    .$if(status !== null, (query) => query.where('status', '=', status))
    .$if(pattern !== null, (query) => query.where('name', 'ilike', pattern))
  return newestFirst(query, 'experiments', after)
}
