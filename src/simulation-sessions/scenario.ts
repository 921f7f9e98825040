import type { Kysely } from 'kysely'
import type { Catalogue } from '../blueprints/catalogue/entries.js'
import { playedScenario } from '../blueprints/played-scenario.js'
import { selectSetupModels } from '../blueprints/queries.js'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import type { Database } from '../database/schema.js'
import { valueError } from '../errors.js'
import { type StoredSession, selectFrozenScenario } from './queries.js'
import { hasScenario, selectScenarioNames } from './readiness-queries.js'

type Scenario = Pick<StoredSession, 'organization_id' | 'scenario_name'>

/** A scenario of an organization as a session that starts now plays it. */
export async function scenarioNow(
  db: Kysely<Database>,
  catalogue: Catalogue,
  { organization_id, scenario_name }: Scenario,
): Promise<FrozenScenario> {
  const models = await selectSetupModels(db, organization_id, scenario_name)
  return playedScenario(catalogue, scenario_name, models)
}

/** The scenario of a session: as it was at the start, or before that as it would be now. */
export async function scenarioOf(
  db: Kysely<Database>,
  catalogue: Catalogue,
  session: Scenario & Pick<StoredSession, '_id' | 'started_at'>,
): Promise<FrozenScenario> {
  const frozen = session.started_at && (await selectFrozenScenario(db, session))
  return frozen || scenarioNow(db, catalogue, session)
}

/** Throws 422, with the names that are known, for a scenario that neither has. */
export async function requireScenario(
  db: Kysely<Database>,
  catalogue: Catalogue,
  { organization_id, scenario_name }: Scenario,
): Promise<void> {
  if (catalogue.scenarios.has(scenario_name)) return
  if (await hasScenario(db, organization_id, scenario_name)) return
  const own = await selectScenarioNames(db, organization_id)
  const known = [...new Set([...own, ...catalogue.scenarios.keys()])].join(', ')
  throw valueError(
    ['body', 'scenario_name'],
    `is no scenario of this organization; it has: ${known}`,
  )
}
