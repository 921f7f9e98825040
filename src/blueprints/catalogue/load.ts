import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load, YAMLException } from 'js-yaml'
import { faultsOf, shapeFaults } from './check.js'
import {
  type Catalogue,
  type CatalogueFile,
  modelFields,
  type People,
  type Scenario,
} from './entries.js'

export const catalogueVersion: string = '2026-1'

const shipped = () => fileURLToPath(new URL('.', import.meta.resolve('#catalogue/schema.yaml')))

const read = (folder: string, place: string, kind: string): CatalogueFile => {
  try {
    return { place, kind, data: load(readFileSync(join(folder, place), 'utf8')) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const line = (error.mark?.line ?? 0) + 1
    return { place, kind, data: null, faults: [`${error.reason}, line ${line}`] }
  }
}

const yamlIn = (folder: string, part: string) =>
  readdirSync(join(folder, part))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => ({ place: `${part}/${name}`, name: basename(name, '.yaml') }))

export const readCatalogueFiles = (folder: string = shipped()): CatalogueFile[] => [
  ...yamlIn(folder, 'models').map(({ place, name }) => read(folder, place, name)),
  ...yamlIn(folder, 'scenarios').map(({ place }) => read(folder, place, 'scenario')),
  read(folder, 'people.yaml', 'people'),
  read(folder, 'colleagues.yaml', 'colleagues'),
]

/**
 * Puts parsed files together, or throws one error that names every fault with its place; of a file
 * that is no YAML the first one.
 */
export function catalogueFrom(files: CatalogueFile[]): Catalogue {
  const misshapen = shapeFaults(files, read(shipped(), 'schema.yaml', 'schema').data)
  if (misshapen.length > 0) throw catalogueError(misshapen)

  // The schema has just proved these shapes.
  const one = <T>(kind: string) => files.find((file) => file.kind === kind)?.data as T
  const scenarios = files.filter((file) => file.kind === 'scenario')
  const catalogue: Catalogue = {
    models: Object.fromEntries(
      modelFields.map((field) => [field, one(field)]),
    ) as Catalogue['models'],
    scenarios: new Map(
      scenarios.map(({ data }) => [(data as Scenario).scenario_type, data as Scenario]),
    ),
    people: one<People>('people'),
    colleagues: one<Pick<Catalogue, 'colleagues'>>('colleagues').colleagues,
  }
  const faults = faultsOf(catalogue, files)
  if (faults.length > 0) throw catalogueError(faults)
  return catalogue
}

const catalogueError = (faults: string[]) =>
  new Error(`The blueprint catalogue has ${faults.length} fault(s):\n${faults.join('\n')}`)

let loaded: Catalogue | undefined

export function loadCatalogue(): Catalogue {
  loaded ??= catalogueFrom(readCatalogueFiles())
  return loaded
}
