import {
  anchors,
  type Catalogue,
  idsOf,
  type Model,
  modelFields,
  type Scenario,
  slots,
} from '../entries.js'
import type { CatalogueFile, Fault } from '../files.js'
import { artefactFaults } from './artefact-faults.js'
import { beatFaults } from './beat-faults.js'
import { castFaults } from './cast-faults.js'
import { circleFaults } from './circle-faults.js'
import { decisionFaults } from './decision-faults.js'
import { type FileFault, fault, lineFaults, locatedLines, valuesOf } from './line-faults.js'
import { minuteFaults } from './minute-faults.js'
import { wordFaults } from './words.js'

/** Finds what a schema cannot: names that do not exist, and names that are used twice. */
export function faultsOf(catalogue: Catalogue, files: CatalogueFile[]): Fault[] {
  return [
    ...repeatedEntries(files),
    ...files.flatMap((file) => {
      const { kind, field, data } = file
      const found = [
        ...(kind === 'Scenario' ? scenarioFaults(catalogue, data as Scenario) : []),
        ...(field ? modelFaults(catalogue, data as Model) : []),
      ]
      return found.map((fault) => ({ file, ...fault }))
    }),
  ]
}

/** Finds values and scenarios in two files, such as an organization's own and one of ours. */
function repeatedEntries(files: CatalogueFile[]): Fault[] {
  const seen = new Map<string, string>()
  return files.flatMap((file) => {
    const { kind, field, data } = file
    const name = field ? 'value' : 'scenario_type'
    if (!field && kind !== 'Scenario') return []
    const value = Reflect.get(data as object, name)
    const key = `${kind}/${value}`
    const other = seen.get(key)
    if (other) return [{ file, path: [name], message: `${value} is described in ${other} as well` }]
    seen.set(key, file.name)
    return []
  })
}

function scenarioFaults(catalogue: Catalogue, scenario: Scenario): FileFault[] {
  const { cast, channels, story, voices = [], terms } = scenario
  const lines = [...locatedLines('story', story), ...locatedLines('voices', voices)]
  const present = cast.map(({ slot }) => slot)
  const known = {
    ids: new Set(['start', ...idsOf([...story, ...voices])]),
    channels: new Set([...channels.map(({ key }) => key), 'meeting', 'team_1', 'team_2', 'area']),
    speakers: new Set<string>([...present, ...catalogue.colleagues.map(({ key }) => key)]),
  }
  return [
    ...castFaults(catalogue, scenario),
    ...modelFields.flatMap((field) =>
      valuesOf(catalogue, field).includes(scenario.models[field])
        ? []
        : fault(['models', field], `${scenario.models[field]} is no ${field}`),
    ),
    ...['home', 'questions', 'notices'].flatMap((key) =>
      channels.some((channel) => channel.key === key)
        ? []
        : fault(['channels'], `there is no channel with the key ${key}`),
    ),
    ...twice(channels, 'key', ['channels']),
    ...twice(channels, 'channel_name', ['channels']),
    ...twice(scenario.participant_roles ?? [], 'role_key', ['participant_roles']),
    ...twice(scenario.artefacts ?? [], 'key', ['artefacts']),
    ...twice(scenario.situation?.terms ?? [], 'term', ['situation', 'terms']),
    ...repeated(idsOf([...story, ...voices])).flatMap((id) =>
      fault(['story'], `two lines have the id ${id}`),
    ),
    ...lines.flatMap((one) => lineFaults(catalogue, one, known, scenario)),
    ...circleFaults(lines),
    ...beatFaults(scenario, lines),
    ...decisionFaults(scenario, lines),
    ...artefactFaults(scenario, lines),
    ...minuteFaults(scenario),
    ...wordFaults(scenario, [...present, ...Object.keys(terms)], ['story', 'voices']),
  ]
}

function modelFaults(catalogue: Catalogue, model: Model): FileFault[] {
  const lines = locatedLines('lines', model.lines)
  const known = {
    ids: new Set([...anchors, ...idsOf(model.lines)]),
    channels: new Set(['home', 'questions', 'notices', 'meeting', 'team_1', 'team_2']),
    speakers: new Set<string>(slots),
  }
  const [scenario] = catalogue.scenarios.values()
  const terms = Object.keys(scenario?.terms ?? {})
  return [
    ...repeated(idsOf(model.lines)).flatMap((id) =>
      fault(['lines'], `two lines have the id ${id}`),
    ),
    ...lines.flatMap((one) => lineFaults(catalogue, one, known)),
    ...lines.flatMap(({ line, path }) =>
      line.beat ? fault([...path, 'beat'], 'only a scenario has beats') : [],
    ),
    ...lines.flatMap(({ line, path }) =>
      line.artefact ? fault([...path, 'artefact'], 'only a scenario has artefacts') : [],
    ),
    ...lines.flatMap(({ line, path }) =>
      [line, ...(line.replies ?? [])].some((one) => one.only_if || one.unless) || line.fallback_for
        ? fault(path, 'only the lines of a scenario depend on decisions')
        : [],
    ),
    ...circleFaults(lines),
    ...(model.contradicts ?? []).flatMap(({ field, value }, i) =>
      valuesOf(catalogue, field).includes(value)
        ? []
        : fault(['contradicts', i], `${value} is no ${field}`),
    ),
    ...wordFaults(model, [...slots, 'area', ...terms], ['effects', 'lines', 'replies']),
  ]
}

/** Finds entries of a list with the same value in a field that must be unique. */
function twice<Entry>(entries: Entry[], name: keyof Entry & string, path: string[]): FileFault[] {
  return entries.flatMap((entry, i) =>
    entries.slice(0, i).some((other) => other[name] === entry[name])
      ? fault([...path, i, name], `another one has the ${name} ${entry[name]}`)
      : [],
  )
}

const repeated = (items: string[]) => items.filter((item, i) => items.indexOf(item) !== i)
