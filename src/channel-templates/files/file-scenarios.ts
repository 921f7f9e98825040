import type { Db } from '../../database/schema.js'
import type { Pause } from '../../turns/slices.js'
import { selectBranches } from '../branches/queries.js'
import { type Branching, scenarioOf, unchecked } from '../branches/read-scenario.js'
import { branchWarnings } from '../branches/warnings.js'
import type { FaultList } from '../linting/lint.js'

/** A key of a template of the file. */
interface Named {
  scenario_name: string
  channel_name: string
}
export type FileBranching = Branching & Named & { loc: string[] }

interface Branches {
  organization_id: string
  /** All templates of the file: they replace stored ones. */
  templates: Named[]
  /** Those that are active. */
  branching: FileBranching[]
}

/** Warns of lines that do not fit the decisions of their scenario, in the file and in stored templates. */
export async function addScenarioWarnings(
  db: Db,
  { organization_id, templates: except, branching }: Branches,
  warnings: FaultList,
  pause: Pause,
): Promise<void> {
  const some = branching.filter(({ lines }) => lines.length > 0)
  const scenario_names = [...new Set(some.map(({ scenario_name }) => scenario_name))]
  if (scenario_names.length === 0) return
  const stored = await selectBranches(db, { organization_id, scenario_names, except })
  for (const name of scenario_names) {
    await pause()
    const isOfScenario = ({ scenario_name }: Named) => scenario_name === name
    const own = some.filter(isOfScenario)
    const scenario = scenarioOf(own, stored.filter(isOfScenario))
    for (const { lines, loc } of own) {
      await pause()
      warnings.add(scenario.isWhole ? branchWarnings(lines, scenario) : [unchecked(loc)])
    }
  }
}
