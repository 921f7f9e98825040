import { faultsOf } from './catalogue-faults.js'
import {
  type Catalogue,
  type Effects,
  type Model,
  modelFields,
  type People,
  type Role,
  type Scenario,
} from './entries.js'
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

const loaded = new Map<string | undefined, Catalogue>()

/** Returns the catalogue with an organization's own folder. Reads the files once per process. */
export function loadCatalogue(ownFolder?: string): Catalogue {
  const known = loaded.get(ownFolder)
  if (known) return known
  const catalogue = catalogueFrom(readCatalogueFiles(ownFolder))
  loaded.set(ownFolder, catalogue)
  return catalogue
}
