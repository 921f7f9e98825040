import type { Expression, Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import { jsonb, jsonColumns } from '../../../database/expressions.js'
import { preparePage } from '../../../database/lists/lists.js'
import {
  type After,
  byTime,
  newestFirst,
  type Order,
  type Position,
} from '../../../database/lists/pages.js'
import { selectPageOfRows } from '../../../database/lists/row-pages.js'
import type { Database, Db, Trx } from '../../../database/schema.js'
import { inScope, type Scope } from '../../../database/scope.js'
import type { ParametersOf } from '../../../database/statements.js'
import type { RecordedChanges } from './undo.js'

type QuickSetup = Selectable<Database['quick_setups']>

/** The columns of the contract's QuickSetupRecord. Its counts are in `result`. */
const recordColumns = [
  '_id',
  'organization_id',
  'scenario_type',
  'catalogue_version',
  'models',
  'team_size',
  'overwrite_existing',
  'metadata',
  'applied_at',
  'applied_by',
  'rolled_back_at',
  'rolled_back_by',
] as const

function fromResult<Key extends keyof QuickSetup['result']>(key: Key) {
  return sql<QuickSetup['result'][Key]>`result -> ${sql.lit(key)}`.as(key)
}
const counts = [fromResult('created'), fromResult('updated'), fromResult('removed')] as const

export type Applied = 'applied_at' | '_id'
/** Sorted by the time of the application. */
export const byApplication: Order<Applied> = { applied_at: byTime.created_at, _id: byTime._id }

/** Turns a position in the list into parameters of a statement: null for its beginning. */
export function afterApplication(position: Position<Applied> | null): After {
  const { applied_at: after_created_at = null, _id: after_id = null } = position ?? {}
  return { after_created_at, after_id }
}

interface Filters extends After {
  scenario_type: string | null
}

const selectOfOrganization = preparePage(
  'select_quick_setups',
  (db, { organization_id, ...filters }: ParametersOf<Filters & { organization_id: string }>) =>
    filterSetups(db, { organization_id }, filters)
      .select(jsonColumns('quick_setups', recordColumns))
      .select(counts),
  { order: byApplication },
)

function selectOfEveryOrganization(db: Db, filters: Filters, limit?: number) {
  const read = (next: Partial<After>) =>
    filterSetups(db, 'every organization', { ...filters, ...next })
      .select(recordColumns)
      .select(counts)
  return selectPageOfRows({ order: byApplication, after: afterApplication, read }, limit)
}

function filterSetups(
  db: Db,
  scope: Scope<string | Expression<string>>,
  { scenario_type, ...after }: Filters | ParametersOf<Filters>,
) {
  const query = inScope(db.selectFrom('quick_setups'), 'quick_setups', scope).$if(
    scenario_type !== null,
    (query) => query.where('scenario_type', '=', scenario_type),
  )
  return newestFirst(query, 'quick_setups', after, 'applied_at')
}

/** A page of applications, newest first. */
export function selectQuickSetups(db: Db, scope: Scope, filters: Filters, limit?: number) {
  return scope === 'every organization'
    ? selectOfEveryOrganization(db, filters, limit)
    : selectOfOrganization(db, { ...scope, ...filters }, limit)
}

/** Returns the contract's QuickSetupDetails. */
export async function selectQuickSetup(db: Db, scope: Scope, _id: string) {
  const found = await inScope(db.selectFrom('quick_setups'), 'quick_setups', scope)
    .select([...recordColumns, 'result'])
    .where('_id', '=', _id)
    .executeTakeFirst()
  if (!found) return undefined
  const { result, ...record } = found
  return { ...record, ...result }
}

/** The recorded changes of an application. Locks its row against a second rollback. */
export function selectRecordedChanges(trx: Trx, organization_id: string, _id: string) {
  return trx
    .selectFrom('quick_setups')
    .select(['organization_id', 'scenario_type', 'applied_at', 'rolled_back_at'])
    .select((eb) => eb.ref('changes').$castTo<RecordedChanges>().as('changes'))
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** The latest application of a scenario that is not rolled back. */
export function selectLatest(trx: Trx, organization_id: string, scenario_type: string) {
  return trx
    .selectFrom('quick_setups')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('scenario_type', '=', scenario_type)
    .where('rolled_back_at', 'is', null)
    .orderBy('applied_at', 'desc')
    .orderBy('_id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertQuickSetup(
  trx: Trx,
  setup: Insertable<Database['quick_setups']>,
): Promise<void> {
  await trx.insertInto('quick_setups').values(setup).execute()
}

/** Records that an application is undone. What it has changed is no longer needed. */
export async function updateRolledBack(
  trx: Trx,
  organization_id: string,
  _id: string,
  rolled_back_by: string,
): Promise<void> {
  await trx
    .updateTable('quick_setups')
    .set({ rolled_back_at: sql<string>`now()`, rolled_back_by, changes: jsonb({}) })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}
