import { beatFaults } from './beat-faults.js'
import {
  anchors,
  type Catalogue,
  type Model,
  modelFields,
  type Scenario,
  slots,
} from './entries.js'
import type { CatalogueFile, Fault } from './files.js'
import {
  circleFaults,
  type Found,
  fault,
  idsOf,
  lineFaults,
  named,
  valuesOf,
} from './line-faults.js'
import { wordFaults } from './words.js'

/** What a schema cannot say: names that must exist elsewhere, or only once. */
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

/** Values and scenarios that are described twice, as when an organization's own has the name of ours. */
function repeatedEntries(files: CatalogueFile[]): Fault[] {
  const met = new Set<string>()
  return files.flatMap((file) => {
    const { kind, field, data } = file
    const name = field ? 'value' : 'scenario_type'
    if (!field && kind !== 'Scenario') return []
    const value = Reflect.get(data as object, name)
    const key = `${kind}/${value}`
    const message = `${value} is described elsewhere already`
    if (met.has(key)) return [{ file, path: [name], message }]
    met.add(key)
    return []
  })
}

function scenarioFaults(catalogue: Catalogue, scenario: Scenario): Found[] {
  const { cast, channels, story, voices = [], models } = scenario
  const lines = [...named('story', story), ...named('voices', voices)]
  const ids = idsOf([...story, ...voices])
  const known = {
    ids: new Set(['start', ...ids]),
    channels: new Set([...channels.map(({ key }) => key), 'meeting', 'team_1', 'team_2', 'area']),
    speakers: new Set<string>([...slots, ...catalogue.colleagues.map(({ key }) => key)]),
  }
  return [
    ...cast.flatMap(({ slot }, i) =>
      slots[i] === slot ? [] : fault(['cast', i], `here belongs the ${slots[i]}, not the ${slot}`),
    ),
    ...modelFields.flatMap((field) =>
      valuesOf(catalogue, field).includes(models[field])
        ? []
        : fault(['models', field], `${models[field]} is no ${field}`),
    ),
    ...['home', 'questions', 'notices'].flatMap((key) =>
      channels.some((channel) => channel.key === key)
        ? []
        : fault(['channels'], `there is no channel with the key ${key}`),
    ),
    ...repeated(ids).flatMap((id) => fault(['story'], `two lines have the id ${id}`)),
    ...lines.flatMap((one) => lineFaults(catalogue, one, known, scenario)),
    ...circleFaults(lines),
    ...beatFaults(scenario, lines),
    ...wordFaults(scenario, [...slots, ...Object.keys(scenario.terms)]),
  ]
}

function modelFaults(catalogue: Catalogue, model: Model): Found[] {
  const lines = named('lines', model.lines)
  const known = {
    ids: new Set([...anchors, ...idsOf(model.lines)]),
    channels: new Set(['home', 'questions', 'notices', 'meeting', 'team_1', 'team_2']),
    speakers: new Set<string>(slots),
  }
  const [scenario] = catalogue.scenarios.values()
  return [
    ...lines.flatMap((one) => lineFaults(catalogue, one, known)),
    ...circleFaults(lines),
    ...(model.contradicts ?? []).flatMap(({ field, value }, i) =>
      valuesOf(catalogue, field).includes(value)
        ? []
        : fault(['contradicts', i], `${value} is no ${field}`),
    ),
    ...(model.replies ?? []).flatMap(({ to }, i) =>
      anchors.includes(to) ? [] : fault(['replies', i, 'to'], `no scenario has a line ${to}`),
    ),
    ...wordFaults(model, [...slots, 'area', ...Object.keys(scenario?.terms ?? {})]),
  ]
}

const repeated = (items: string[]) => items.filter((item, i) => items.indexOf(item) !== i)
