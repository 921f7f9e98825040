import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
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

interface Schema {
  info: { version: string }
  components: { schemas: Record<string, object> }
}

/** The shape of the files, with the version of those that are shipped. */
export const readSchema = () => load(readFileSync(join(shipped, 'schema.yaml'), 'utf8')) as Schema

/** The name in the schema of the values of a model. */
export const kindOf = (field: string) =>
  field.replace(/(^|_)(\w)/g, (_, _gap, letter: string) => letter.toUpperCase())

/**
 * The files of our catalogue, and those of an organization's own folder that has `scenarios` and
 * `models/<field>` as ours has. Throws one error for all that are no YAML.
 */
export function readCatalogueFiles(ownFolder?: string): CatalogueFile[] {
  const own = ownFolder === undefined ? [] : entriesIn(ownFolder, `${ownFolder}/`)
  const files = [
    ...entriesIn(shipped, ''),
    ...['people', 'colleagues'].map((name) => {
      return { place: `${name}.yaml`, path: join(shipped, `${name}.yaml`), kind: kindOf(name) }
    }),
    { place: 'models/neutral.yaml', path: join(shipped, 'models/neutral.yaml'), kind: 'Effects' },
    ...own,
  ]
  if (ownFolder !== undefined) refuseStrangers(ownFolder, own.length)
  const faults: string[] = []
  const parsed = files.map(({ path, ...file }) => {
    const source = textOf(path, file.place)
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

function textOf(path: string, place: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw catalogueError([`${place}: ${error instanceof Error ? error.message : error}`])
  }
}

function entriesIn(folder: string, prefix: string) {
  const within = (part: string, kind: string, field?: string) =>
    namesIn(join(folder, part))
      .filter((name) => isYaml(name))
      .map((name) => {
        const path = join(folder, part, name)
        return { place: `${prefix}${part}/${name}`, path, kind, field }
      })
  return [
    ...within('scenarios', 'Scenario'),
    ...modelFields.flatMap((field) => within(`models/${field}`, kindOf(field), field)),
  ]
}

const isYaml = (name: string) => /\.ya?ml$/.test(name)

const namesIn = (folder: string): string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder).sort() : []

/** What lies in an organization's own folder and would never be read is a misspelt name. */
function refuseStrangers(folder: string, read: number): void {
  const isOf = (known: readonly string[]) => (name: string) =>
    !known.includes(name) && (isYaml(name) || namesIn(join(folder, name)).length > 0)
  const models = join(folder, 'models')
  const strangers = [
    ...namesIn(folder)
      .filter(isOf(['scenarios', 'models']))
      .map((name) => `${join(folder, name)}: it is not read; there are scenarios and models`),
    ...namesIn(models)
      .filter((name) => !modelFields.some((field) => field === name))
      .map((name) => `${join(models, name)}: it is not read; there are ${modelFields.join(', ')}`),
  ]
  if (strangers.length > 0) throw catalogueError(strangers)
  if (!existsSync(folder)) throw catalogueError([`${folder}: there is no such folder`])
  if (read === 0) throw catalogueError([`${folder}: there are no scenarios and no models in it`])
}

export const catalogueError = (faults: string[]) =>
  new Error(`The blueprint catalogue has ${faults.length} fault(s):\n${faults.join('\n')}`)
