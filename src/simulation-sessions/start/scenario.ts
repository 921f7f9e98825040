import type { Catalogue } from '../../blueprints/catalogue/entries.js'
import { playedScenario } from '../../blueprints/played-scenario.js'
import { selectSetupMade } from '../../blueprints/queries.js'
import type { Db } from '../../database/schema.js'
import type { FrozenScenario } from '../../database/tables/frozen-scenario.js'
import { valueError } from '../../faults.js'
import { type StoredSession, selectFrozenScenario } from '../queries.js'
import { hasScenario, maxNames, selectScenarioNames } from './readiness-queries.js'

type Scenario = Pick<StoredSession, 'organization_id' | 'scenario_name'>

/** A scenario of an organization, as a session would play it that starts now. */
export async function scenarioNow(
  db: Db,
  catalogue: Catalogue,
  { organization_id, scenario_name }: Scenario,
): Promise<FrozenScenario> {
  const setup = await selectSetupMade(db, organization_id, scenario_name)
  return playedScenario(catalogue, scenario_name, setup)
}

/** The scenario of a session: as it was at the start, or as it is now if it has not started. */
export async function scenarioOf(
  db: Db,
  catalogue: Catalogue,
  session: Scenario & Pick<StoredSession, '_id' | 'started_at'>,
): Promise<FrozenScenario> {
  const frozen = session.started_at && (await selectFrozenScenario(db, session))
  return frozen ? completeScenario(frozen) : scenarioNow(db, catalogue, session)
}

/** Fills in what sessions of earlier versions do not have. */
export const completeScenario = (frozen: FrozenScenario): FrozenScenario => ({
  ...frozen,
  lang: frozen.lang ?? (frozen.catalogue_version && 'en'),
  situation: frozen.situation ?? null,
  artefacts: frozen.artefacts ?? [],
  observer: frozen.observer ?? [],
  debrief: frozen.debrief ?? [],
  decision_points: frozen.decision_points.map((decision) => ({
    ...decision,
    decided_by: decision.decided_by ?? [],
    fallback_option: decision.fallback_option ?? null,
    options: decision.options.map((one) => ({ ...one, label: one.label ?? one.option })),
  })),
})

/** Throws 422, with the known names, if neither the catalogue nor the organization has the scenario. */
export async function requireScenario(
  db: Db,
  catalogue: Catalogue,
  { organization_id, scenario_name }: Scenario,
): Promise<void> {
  if (catalogue.scenarios.has(scenario_name)) return
  if (await hasScenario(db, organization_id, scenario_name)) return
  const own = await selectScenarioNames(db, organization_id)
  const names = [...new Set([...own, ...catalogue.scenarios.keys()])].join(', ')
  const known = own.length < maxNames ? names : `${names} and others`
  throw valueError(
    ['body', 'scenario_name'],
    'unknown_scenario',
    `is no scenario of this organization; it has: ${known}`,
  )
}
