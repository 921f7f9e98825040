import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load, YAMLException } from 'js-yaml'
import { modelFields } from './entries.js'

/** One parsed file; `kind` names its shape in the schema, `field` the model of which it is a value. */
export interface CatalogueFile {
  place: string
  kind: string
  field?: string
  source: string
  data: unknown
}

export interface Fault {
  file: CatalogueFile
  /** Where in the file. */
  path: (string | number)[]
  message: string
}

const shipped = fileURLToPath(new URL('.', import.meta.resolve('#catalogue/schema.yaml')))

export const readSchema = (): unknown => load(readFileSync(join(shipped, 'schema.yaml'), 'utf8'))

/** The name in the schema of the values of a model. */
export const kindOf = (field: string) =>
  field.replace(/(^|_)(\w)/g, (_, _gap, letter: string) => letter.toUpperCase())

/**
 * The files of our catalogue, and those of an organization's own folder that has `scenarios` and
 * `models/<field>` as ours has. Throws one error for all that are no YAML.
 */
export function readCatalogueFiles(ownFolder?: string): CatalogueFile[] {
  const files = [
    ...entriesIn(shipped, ''),
    ...['people', 'colleagues'].map((name) => {
      return { place: `${name}.yaml`, path: join(shipped, `${name}.yaml`), kind: kindOf(name) }
    }),
    { place: 'models/neutral.yaml', path: join(shipped, 'models/neutral.yaml'), kind: 'Effects' },
    ...(ownFolder === undefined ? [] : entriesIn(ownFolder, `${ownFolder}/`)),
  ]
  if (ownFolder !== undefined && !files.some(({ place }) => place.startsWith(ownFolder))) {
    throw catalogueError([`${ownFolder}: there are no scenarios and no models in it`])
  }
  const faults: string[] = []
  const parsed = files.map(({ path, ...file }) => {
    const source = readFileSync(path, 'utf8')
    try {
      return { ...file, source, data: load(source) }
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error
      faults.push(`${file.place}:${(error.mark?.line ?? 0) + 1}: ${error.reason}`)
      return { ...file, source, data: null }
    }
  })
  if (faults.length > 0) throw catalogueError(faults)
  return parsed
}

function entriesIn(folder: string, prefix: string) {
  const within = (part: string, kind: string, field?: string) =>
    (existsSync(join(folder, part)) ? readdirSync(join(folder, part)) : [])
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
      .map((name) => {
        const path = join(folder, part, name)
        return { place: `${prefix}${part}/${name}`, path, kind, field }
      })
  return [
    ...within('scenarios', 'Scenario'),
    ...modelFields.flatMap((field) => within(`models/${field}`, kindOf(field), field)),
  ]
}

export const catalogueError = (faults: string[]) =>
  new Error(`The blueprint catalogue has ${faults.length} fault(s):\n${faults.join('\n')}`)
