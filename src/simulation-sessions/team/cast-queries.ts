import { sql } from 'kysely'
import type { Db, Trx } from '../../database/schema.js'
import { isId } from '../../formats/identifiers.js'
import type { DefaultLimits } from '../../usage/default-limits.js'
import { selectAllowed } from '../../usage/limit-queries.js'
import { refuseBeyond } from '../../usage/require-limits.js'
import type { StoredSession } from '../queries.js'

interface Scenario {
  organization_id: string
  scenario_name: string
}

/** The cast of a scenario: the bots of its setup, and the bots in its active channel templates. */
function isInCast({ organization_id, scenario_name }: Scenario) {
  const speakers = sql<string>`
    select jsonb_object_keys(sender_ids) from channel_templates
    where organization_id = ${organization_id} and scenario_name = ${scenario_name} and is_active`
  const characters = charactersOf(organization_id, scenario_name)
  return sql<boolean>`_id::text in (${speakers} union all select user_id::text ${characters})`
}

/** Throws 409 if the cast of a scenario is too large for a session. */
export async function requireCastWithinLimit(
  trx: Trx,
  defaults: DefaultLimits,
  scenario: Scenario,
): Promise<void> {
  const { organization_id } = scenario
  const { session_characters: allowed } = await selectAllowed(trx, defaults, organization_id)
  const { count } = await trx
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('is_bot', '=', true)
    .where(isInCast(scenario))
    .executeTakeFirstOrThrow()
  refuseBeyond('session_characters', count, 0, allowed)
}

/**
 * Locks the cast of a scenario, given the senders of its templates. None of them can be deleted before
 * the transaction ends.
 */
export async function lockCast(
  trx: Trx,
  organization_id: string,
  scenario_name: string,
  speaker_ids: string[],
): Promise<CastMember[]> {
  const characters = await sql<{ user_id: string }>`
    select user_id ${charactersOf(organization_id, scenario_name)}`.execute(trx)
  const ids = [...speaker_ids.filter(isId), ...characters.rows.map(({ user_id }) => user_id)]
  return selectBots(trx, organization_id)
    .where(sql<boolean>`_id = any(${ids}::uuid[])`)
    .forKeyShare()
    .execute()
}

/** Few columns: profiles are long, and a cast may have thousands of characters. */
const columns = [
  '_id',
  'full_name',
  'username',
  'avatar_url',
  sql<string | null>`career_goals ->> 'current_role'`.as('title'),
  sql<string | null>`career_goals ->> 'department'`.as('department'),
] as const

function selectBots(db: Db, organization_id: string) {
  return db
    .selectFrom('users')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where('is_bot', '=', true)
    .orderBy('_id')
}

/** The characters that the setup of a scenario made. */
const charactersOf = (organization_id: string, scenario_name: string) => sql`
  from characters
  join blueprint_setups as setup
    on setup.organization_id = characters.organization_id and setup._id = characters.setup_id
  where characters.organization_id = ${organization_id} and scenario_type = ${scenario_name}`

export type CastMember = Awaited<ReturnType<typeof selectCharactersById>>[number]

/**
 * The cast that a session has, or would have if it started now. Of a cast that is too large to start, the
 * first `limit` characters.
 */
export function selectCastOf(
  db: Db,
  { started_at, cast_ids, ...scenario }: CastSource,
  limit: number,
): Promise<CastMember[]> {
  const { organization_id } = scenario
  return started_at
    ? selectCharactersById(db, organization_id, cast_ids)
    : selectBots(db, organization_id).where(isInCast(scenario)).limit(limit).execute()
}

type CastSource = Pick<
  StoredSession,
  'organization_id' | 'scenario_name' | 'started_at' | 'cast_ids'
>

/** Characters by their ids, sorted by id, also if they have left the scenario. */
export function selectCharactersById(db: Db, organization_id: string, ids: string[]) {
  return db
    .selectFrom('users')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${ids}::uuid[])`)
    .orderBy('_id')
    .execute()
}
