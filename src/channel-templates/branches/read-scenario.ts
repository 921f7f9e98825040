import type { Db } from '../../database/schema.js'
import { type Fault, shortenKey, valueError } from '../../faults.js'
import { firstOf } from '../linting/lint.js'
import { completeMessages } from '../messages.js'
import { lapsed } from '../prepared-metadata.js'
import type { StoredTemplate } from '../queries.js'
import { type BranchLine, isBranching, linesAt } from './lines.js'
import { Path } from './path.js'
import { type StoredBranches, selectBranches } from './queries.js'
import { Scenario } from './scenario.js'
import { branchWarnings } from './warnings.js'

/** The lines of a template that branch. */
export interface Branching {
  channel_name: string
  lines: BranchLine[]
}

type Template = Pick<
  StoredTemplate,
  'organization_id' | 'scenario_name' | 'channel_name' | 'message_templates' | 'is_active'
> & { _id?: string | null }

const loc = ['body', 'message_templates']

/** Warns of lines that do not fit the decisions of the scenario. An inactive template has no lines. */
export async function scenarioWarnings(db: Db, template: Template): Promise<Fault[]> {
  if (!template.is_active) return []
  const own = branchingOf(template, loc)
  if (own.lines.length === 0) return []
  const scenario = scenarioOf([own], await selectOthers(db, template))
  return scenario.isWhole ? firstOf(branchWarnings(own.lines, scenario)) : [unchecked(loc)]
}

/** The path that a request names. Throws 422 for an unknown decision or option. */
export async function readPath(
  db: Db,
  template: Template,
  path: Record<string, unknown>,
): Promise<Path> {
  const scenario = scenarioOf([branchingOf(template, loc)], await selectOthers(db, template))
  const outcomes = Object.entries(path).map(([beat, option]): [string, string] => {
    const at = ['body', 'path', shortenKey(beat)]
    if (typeof option !== 'string')
      throw valueError(at, 'string_type', 'should be the key of an option, or lapsed')
    requireKnown(scenario, beat, option, at)
    return [beat, option]
  })
  return new Path(scenario, new Map(outcomes))
}

function requireKnown(scenario: Scenario, beat: string, option: string, at: string[]): void {
  if (!scenario.isWhole) return
  const options = scenario.optionsOf(beat)
  if (options.size === 0)
    throw valueError(at, 'unknown_decision', 'the scenario does not ask for this decision')
  if (option !== lapsed && !options.has(option))
    throw valueError(at, 'unknown_option', 'the decision does not have this option')
}

export function branchingOf(
  { channel_name, message_templates }: Pick<Template, 'channel_name' | 'message_templates'>,
  at?: string[],
): Branching {
  const lines = linesAt(completeMessages(message_templates), at).filter(isBranching)
  return { channel_name, lines }
}

function selectOthers(db: Db, { organization_id, _id, ...key }: Template) {
  const { scenario_name } = key
  return selectBranches(db, {
    organization_id,
    scenario_names: [scenario_name],
    except: [key],
    except_id: _id,
  })
}

/** The scenario of some templates and of stored ones. Lines of the same time are in order of channels. */
export function scenarioOf(some: Branching[], stored: StoredBranches[]): Scenario {
  const others = stored.map(({ channel_name, branches }) =>
    branchingOf({ channel_name, message_templates: branches ?? [] }),
  )
  const inOrder = [...some, ...others].sort((a, b) => (a.channel_name < b.channel_name ? -1 : 1))
  const isWhole = stored.every(({ branches }) => branches !== null)
  return new Scenario(
    inOrder.flatMap(({ lines }) => lines),
    isWhole,
  )
}

export const unchecked = (at: string[]): Fault => ({
  loc: at,
  msg: 'Decisions are not checked: the messages of the scenario that branch are too long together',
  type: 'decisions_unchecked',
})
