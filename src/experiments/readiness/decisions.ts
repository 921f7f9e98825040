import {
  armsOfSessions,
  type BranchLine,
  type SessionArm,
} from '../../channel-templates/branches/lines.js'
import { selectBranches } from '../../channel-templates/branches/queries.js'
import { branchingOf } from '../../channel-templates/branches/read-scenario.js'
import { listed } from '../../channel-templates/linting/variables.js'
import type { Db } from '../../database/schema.js'
import { type Check, verdict } from '../../readiness.js'

/** The scenarios of an arm's sessions. */
interface PlayedScenarios {
  names: Set<string>
  /** False if the arm has no sessions, or some that this service does not know. */
  isWhole: boolean
}

export type ScenariosOfArms = Record<SessionArm, PlayedScenarios>

/** How the arms differ in the decisions of their scenarios. */
export interface DecisionsOfArms {
  /** The decisions in which they differ, each once. */
  differing: string[]
  /** False if the scenarios are too long to compare. */
  isWhole: boolean
}

/**
 * Compares what the arms ask, and what their messages depend on: in each scenario that both arms
 * play, and in their other scenarios together. An arm whose sessions are not all known may play
 * every scenario of the other one.
 */
export async function compareDecisions(
  db: Db,
  organization_id: string,
  scenarios: ScenariosOfArms,
): Promise<DecisionsOfArms> {
  const scenario_names = [...new Set(armsOfSessions.flatMap((arm) => [...scenarios[arm].names]))]
  if (scenario_names.length === 0) return { differing: [], isWhole: true }
  const plays = (arm: SessionArm, name: string) =>
    !scenarios[arm].isWhole || scenarios[arm].names.has(name)
  const stored = await selectBranches(db, { organization_id, scenario_names, except: [] })
  const arms = { control: new Map<string, string>(), intervention: new Map<string, string>() }
  for (const { scenario_name, channel_name, branches } of stored) {
    const { lines } = branchingOf({ channel_name, message_templates: branches ?? [] })
    const players = armsOfSessions.filter((arm) => plays(arm, scenario_name))
    const isShared = players.length === armsOfSessions.length
    for (const arm of players) addDecisions(arms[arm], isShared ? scenario_name : null, arm, lines)
  }
  const differing = [
    ...without(arms.control, arms.intervention),
    ...without(arms.intervention, arms.control),
  ]
  const isWhole = stored.every(({ branches }) => branches !== null)
  return { differing: [...new Set(differing)], isWhole }
}

/**
 * Adds the decisions of an arm, by how a message asks for them or depends on them. `shared_name` is
 * the scenario, if both arms play it.
 */
function addDecisions(
  found: Map<string, string>,
  shared_name: string | null,
  arm: SessionArm,
  lines: BranchLine[],
): void {
  for (const { arms, decision, only_if, unless } of lines) {
    if (!arms.includes(arm)) continue
    if (decision) {
      const options = decision.options.map(({ option }) => option).sort()
      found.set(JSON.stringify([shared_name, decision.beat, options]), decision.beat)
    }
    for (const { beat } of [...only_if, ...unless]) {
      found.set(JSON.stringify([shared_name, beat]), beat)
    }
  }
}

const without = (some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
  [...some].filter(([key]) => !others.has(key)).map(([, beat]) => beat)

export function checkDecisions({ differing, isWhole }: DecisionsOfArms): Check {
  const good = 'Both arms branch on the same decisions.'
  if (!isWhole) {
    const bad = 'The scenarios have too many messages that branch to compare the arms.'
    const fix = 'Compare in the templates which decisions each arm asks for, with which options.'
    return verdict('same_decisions', false, good, bad, fix)
  }
  const bad = `The arms differ in these decisions: ${listed(differing)}.`
  const fix =
    'Play the same scenarios in both arms. In their templates, ask both arms for the same decisions with the same options, and let messages of both depend on them.'
  return verdict('same_decisions', differing.length === 0, good, bad, fix)
}
