import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Role, Schema } from '../../contract.js'
import { isLike, jsonColumns, timestamp } from '../../database/expressions.js'
import { preparePage } from '../../database/lists/lists.js'
import { type After, afterPosition, byTime, newestFirst } from '../../database/lists/pages.js'
import { selectPageOfRows } from '../../database/lists/row-pages.js'
import type { Db } from '../../database/schema.js'
import { inScope, type Scope } from '../../database/scope.js'
import type { ParametersOf } from '../../database/statements.js'
import type { Metadata } from '../../database/tables/columns.js'
import { clockColumn, endColumn, openEndColumn } from '../clock/clock-columns.js'
import { openIn } from '../expectation-queries.js'
import { hasPart, hasParticipant } from '../team/part-queries.js'

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

const progressColumns = [
  clockColumn,
  'last_seq as messages',
  openIn('simulation_sessions').as('open_expectations'),
] as const

/** The columns that only trainers see. */
const trainerColumns = [
  endColumn,
  timestamp('simulation_sessions', 'next_due_at'),
  sql<Metadata>`metadata`.as('metadata'),
]
/** The same columns for everyone else. */
const hiddenColumns: typeof trainerColumns = [
  openEndColumn,
  sql<string | null>`null::text`.as('next_due_at'),
  sql<Metadata>`'{}'::jsonb`.as('metadata'),
]

type Status = Schema<'SessionStatus'>

interface Filters extends After {
  /** A single status: an index has its sessions in the order of the list. */
  status: Status | null
  /** Several statuses. */
  statuses: Status[] | null
  scenario_name: string | null
  /** A LIKE pattern for the name. */
  pattern: string | null
  /** Only sessions in which this user is a participant. */
  participant_id: string | null
  /** Only sessions in which this user has a part. */
  reader_id: string | null
  reader_role: Role | null
}

interface Reader {
  scope: Scope
  /** Whether the reader sees `trainerColumns`. */
  isLeading: boolean
}

/** A page of sessions, newest first. */
export function selectSessions(
  db: Db,
  { scope, isLeading }: Reader,
  filters: Filters,
  limit?: number,
) {
  if (scope === 'every organization') return selectOfEveryOrganization(db, filters, limit)
  const select = isLeading ? selectForLeaders : selectForOthers
  return select(db, { ...scope, ...filters }, limit)
}

const selectForLeaders = prepareSessions('select_simulation_sessions', trainerColumns)
const selectForOthers = prepareSessions('select_own_simulation_sessions', hiddenColumns)

function prepareSessions(name: string, columns: typeof trainerColumns) {
  return preparePage(
    name,
    (db, { organization_id, ...filters }: ParametersOf<Filters & { organization_id: string }>) =>
      filterSessions(db, { organization_id }, filters)
        .select(jsonColumns('simulation_sessions', listedColumns))
        .select(progressColumns)
        .select(columns),
    {
      planAnew: (given) =>
        given.includes('statuses') || given.filter((name) => name !== 'reader_role').length > 2,
    },
  )
}

function selectOfEveryOrganization(db: Db, filters: Filters, limit?: number) {
  const read = (next: Partial<After>) =>
    filterSessions(db, 'every organization', { ...filters, ...next })
      .select(listedColumns)
      .select(progressColumns)
      .select([endColumn, 'next_due_at', 'metadata'])
  return selectPageOfRows({ order: byTime, after: afterPosition, read }, limit)
}

function filterSessions(
  db: Db,
  scope: Scope<string | Expression<string>>,
  filters: Filters | ParametersOf<Filters>,
) {
  const { status, statuses, scenario_name, pattern, participant_id, ...others } = filters
  const { reader_id: user_id, reader_role: role, ...after } = others
  const organization_id = scope === 'every organization' ? null : scope.organization_id
  const query = inScope(db.selectFrom('simulation_sessions'), 'simulation_sessions', scope)
    .$if(status !== null, (query) => query.where('status', '=', status))
    .$if(statuses !== null, (query) => query.where(sql<boolean>`status = any(${statuses}::text[])`))
    .$if(scenario_name !== null, (query) => query.where('scenario_name', '=', scenario_name))
    .$if(pattern !== null, (query) => query.where(isLike('name', pattern)))
    .$if(participant_id !== null, (query) => query.where(hasParticipant(participant_id)))
    .$if(user_id !== null, (query) => query.where(hasPart(organization_id, { user_id, role })))
  return newestFirst(query, 'simulation_sessions', after)
}
