import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import type { StoredSession } from '../queries.js'

type Session = Pick<StoredSession, 'organization_id' | '_id' | 'scenario_name'>

/** How many scenario names an error message lists at most. */
export const maxNames = 20

/** What the organization has prepared for a session that has not started. */
export async function selectProvisions(
  db: Db,
  { organization_id, _id, scenario_name }: Session,
): Promise<Provisions> {
  const { rows } = await sql<Provisions>`
    select
      exists (
        select from channel_templates
        where organization_id = ${organization_id} and scenario_name = ${scenario_name}
          and is_active and sender_ids <> '{}'
      ) as has_messages,
      exists (
        select from characters
        join blueprint_setups as setup
          on setup.organization_id = characters.organization_id and setup._id = characters.setup_id
        where characters.organization_id = ${organization_id} and scenario_type = ${scenario_name}
      ) as has_characters,
      array(
        select role_key from session_assignments as place
        join users on users.organization_id = place.organization_id and users._id = place.user_id
        where place.organization_id = ${organization_id} and session_id = ${_id}
          and removed_at is null and users.is_active
      ) as role_keys`.execute(db)
  const [found] = rows
  if (!found) throw new Error('A statement without a table returned no row')
  return found
}

export interface Provisions {
  /** Whether an active channel template of the scenario has a message. */
  has_messages: boolean
  /** Whether the setup of the scenario made characters. */
  has_characters: boolean
  /** The role of each active participant; null for those without one. */
  role_keys: (string | null)[]
}

/** The scenarios for which an organization has templates or a setup, sorted by name. */
export async function selectScenarioNames(db: Db, organization_id: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select scenario_name as name from channel_templates where organization_id = ${organization_id}
    union
    select scenario_type from blueprint_setups where organization_id = ${organization_id}
    order by name
    limit ${maxNames}`.execute(db)
  return rows.map(({ name }) => name)
}

/** Whether an organization has templates or a setup of a scenario. */
export async function hasScenario(
  db: Db,
  organization_id: string,
  scenario_name: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from channel_templates
    where organization_id = ${organization_id} and scenario_name = ${scenario_name}
    union all
    select from blueprint_setups
    where organization_id = ${organization_id} and scenario_type = ${scenario_name}
    limit 1`.execute(db)
  return rows.length > 0
}
