import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import type { Metadata } from '../database/columns.js'
import { jsonColumns, timestamp } from '../database/expressions.js'
import { preparePage } from '../database/lists.js'
import { type After, afterPosition, byTime, newestFirst } from '../database/pages.js'
import { selectPageOfRows } from '../database/row-pages.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import type { ParametersOf } from '../database/statements.js'

/** The contract's ListedSession. */
const listedColumns = [
  '_id',
  'organization_id',
  'name',
  'scenario_name',
  'timing',
  'speed',
  'mode',
  'status',
  'starts_at',
  'ends_after_minutes',
  'started_at',
  'ended_at',
  'created_by',
  'created_at',
  'updated_at',
] as const

/** What only those who lead see. */
const backstage = [
  timestamp('simulation_sessions', 'next_due_at'),
  sql<Metadata>`metadata`.as('metadata'),
]
const nothing: typeof backstage = [
  sql<string | null>`null::text`.as('next_due_at'),
  sql<Metadata>`'{}'::jsonb`.as('metadata'),
]

interface Filters extends After {
  status: Schema<'SessionStatus'> | null
  scenario_name: string | null
  /** A LIKE pattern for the name, whatever its case. */
  pattern: string | null
  /** Only those in which this user takes part or speaks as one of the cast, or which they rate. */
  member_id: string | null
  /** The same user, where they may rate. */
  rater_id: string | null
  /** The same user, where they may be one of the cast before the start. */
  bot_id: string | null
}

/** A page of sessions, newest first. */
export function selectSessions(
  db: Kysely<Database>,
  scope: Scope,
  filters: Filters,
  limit?: number,
) {
  return scope === 'every organization'
    ? selectOfEveryOrganization(db, filters, limit)
    : selectOfOrganization(db, { ...scope, ...filters }, limit)
}

/** Filters that say no more of a user who is given already. */
const roles = new Set(['rater_id', 'bot_id'])

const selectOfOrganization = preparePage(
  'select_simulation_sessions',
  (db, { organization_id, ...filters }: ParametersOf<Filters & { organization_id: string }>) =>
    filterSessions(db, { organization_id }, filters)
      .select(jsonColumns('simulation_sessions', listedColumns))
      .select(filters.member_id === null ? backstage : nothing),
  { planAnew: (given) => given.filter((name) => !roles.has(name)).length > 2 },
)

function selectOfEveryOrganization(db: Kysely<Database>, filters: Filters, limit?: number) {
  const read = (next: Partial<After>) =>
    filterSessions(db, 'every organization', { ...filters, ...next })
      .select(listedColumns)
      .select(['next_due_at', 'metadata'])
  return selectPageOfRows({ order: byTime, after: afterPosition, read }, limit)
}

function filterSessions(
  db: Kysely<Database>,
  scope: Scope<string | Expression<string>>,
  {
    status,
    scenario_name,
    pattern,
    member_id,
    rater_id,
    bot_id,
    ...after
  }: Filters | ParametersOf<Filters>,
) {
  const query = inScope(db.selectFrom('simulation_sessions'), 'simulation_sessions', scope)
    .$if(status !== null, (query) => query.where('status', '=', status))
    .$if(scenario_name !== null, (query) => query.where('scenario_name', '=', scenario_name))
    .$if(pattern !== null, (query) => query.where('name', 'ilike', pattern))
    .$if(member_id !== null, (query) =>
      query.where(hasMember(scope, { member_id, rater_id, bot_id })),
    )
  return newestFirst(query, 'simulation_sessions', after)
}

type UserId = string | null | Expression<string>

/**
 * As `selectCast` has it before the start: by the setup of the scenario, or by its templates. These are
 * looked through once for a list, not for each of its sessions.
 */
function hasMember(
  scope: Scope<string | Expression<string>>,
  { member_id, rater_id, bot_id }: Record<'member_id' | 'rater_id' | 'bot_id', UserId>,
) {
  const organization_id = scope === 'every organization' ? null : scope.organization_id
  const isExpected = sql`or started_at is null and scenario_name in (
    select setup.scenario_type from characters
    join blueprint_setups as setup
      on setup.organization_id = characters.organization_id and setup._id = characters.setup_id
    where characters.organization_id = ${organization_id} and characters.user_id = ${bot_id}::uuid
    union all
    select template.scenario_name from channel_templates as template
    where template.organization_id = ${organization_id} and template.is_active
      and template.sender_ids ? ${bot_id}::text)`
  return sql<boolean>`(
    ${rater_id}::text = any(rater_ids) or ${member_id}::text = any(cast_ids)
    or exists (
      select from session_assignments as place
      where place.organization_id = simulation_sessions.organization_id
        and place.session_id = simulation_sessions._id and place.user_id = ${member_id}::uuid
        and place.removed_at is null)
    ${bot_id === null ? sql`` : isExpected})`
}
