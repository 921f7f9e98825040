import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type Catalogue,
  type Effects,
  type Model,
  modelFields,
  type People,
  type Role,
  type Scenario,
} from './entries.js'
import { faultsOf } from './faults/catalogue-faults.js'
import { lineOf } from './file-lines.js'
import {
  type CatalogueFile,
  catalogueError,
  type Fault,
  kindOf,
  readCatalogueFiles,
  readSchema,
} from './files.js'
import { shapeFaults } from './shape.js'

/** Builds the catalogue from parsed files. Throws one error that names every fault by file and line. */
export function catalogueFrom(files: CatalogueFile[]): Catalogue {
  const describe = ({ file, path, message }: Fault) =>
    `${file.name}:${lineOf(file.source, path)}: ${message}`
  const schema = readSchema()
  const misshapen = shapeFaults(files, schema)
  if (misshapen.length > 0) throw catalogueError(misshapen.map(describe))

  // The schema check above proves these types.
  const all = <T>(kind: string) =>
    files.filter((one) => one.kind === kind).map(({ data }) => data as T)
  const one = <T>(kind: string) => all<T>(kind)[0] as T
  const scenarios = all<Scenario>('Scenario').map((one) => [one.scenario_type, one] as const)
  const catalogue: Catalogue = {
    version: schema.info.version,
    models: Object.fromEntries(
      modelFields.map((field) => [field, all<Model>(kindOf(field))]),
    ) as Catalogue['models'],
    neutral: one<Effects>('Effects'),
    scenarios: new Map(scenarios),
    people: one<People>('People'),
    colleagues: one<{ colleagues: Role[] }>('Colleagues').colleagues,
  }
  const faults = faultsOf(catalogue, files)
  if (faults.length > 0) throw catalogueError(faults.map(describe))
  return catalogue
}

/** The catalogue as JSON: the build writes it, so that no start has to read and check our files. */
type CatalogueJson = Omit<Catalogue, 'scenarios'> & { scenarios: Scenario[] }

export function catalogueJson(catalogue: Catalogue): CatalogueJson {
  return { ...catalogue, scenarios: [...catalogue.scenarios.values()] }
}

function readBuilt(): Catalogue {
  const file = fileURLToPath(import.meta.resolve('#dist/catalogue.json'))
  const { scenarios, ...others }: CatalogueJson = JSON.parse(readFileSync(file, 'utf8'))
  return { ...others, scenarios: new Map(scenarios.map((one) => [one.scenario_type, one])) }
}

const loaded = new Map<string | undefined, Catalogue>()

/**
 * Returns the catalogue as it was built; with an organization's own folder, all files are read and
 * checked together. Reads once per process. Throws one error that names every fault by file and line.
 */
export function loadCatalogue(ownFolder?: string): Catalogue {
  const known = loaded.get(ownFolder)
  if (known) return known
  const isBuilt = ownFolder === undefined
  const catalogue = isBuilt ? readBuilt() : catalogueFrom(readCatalogueFiles(ownFolder))
  loaded.set(ownFolder, catalogue)
  return catalogue
}
