import type { Kysely } from 'kysely'
import type { Catalogue } from '../blueprints/catalogue/entries.js'
import { playedScenario } from '../blueprints/played-scenario.js'
import { selectSetupModels } from '../blueprints/queries.js'
import type { Database } from '../database/schema.js'
import type { FrozenScenario } from '../database/session-tables.js'
import type { StoredSession } from './queries.js'

/** The scenario of a session: as it was at the start, or before that as it would be now. */
export async function scenarioOf(
  db: Kysely<Database>,
  catalogue: Catalogue,
  session: Pick<StoredSession, 'organization_id' | 'scenario_name' | 'scenario'>,
): Promise<FrozenScenario> {
  const { organization_id, scenario_name, scenario } = session
  if (scenario) return scenario
  const models = await selectSetupModels(db, organization_id, scenario_name)
  return playedScenario(catalogue, scenario_name, models)
}
