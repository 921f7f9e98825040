import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load, YAMLException } from 'js-yaml'
import { modelFields } from './entries.js'

/** One parsed file. `kind` is its name in the schema, `field` the model that it is a value of. */
export interface CatalogueFile {
  name: string
  kind: string
  field?: string
  source: string
  data: unknown
}

export interface Fault {
  file: CatalogueFile
  /** The keys that lead to the faulty value in the file. */
  path: (string | number)[]
  message: string
}

const shipped = fileURLToPath(new URL('.', import.meta.resolve('#catalogue/schema.yaml')))

interface Schema {
  info: { version: string }
  components: { schemas: Record<string, object> }
}

/** The schema of the files. Its version is the version of our catalogue. */
export const readSchema = () => load(readFileSync(join(shipped, 'schema.yaml'), 'utf8')) as Schema

/** The name that the values of a model have in the schema. */
export const kindOf = (field: string) =>
  field.replace(/(^|_)(\w)/g, (_, _gap, letter: string) => letter.toUpperCase())

/**
 * Reads our catalogue, and an organization's own folder, which has `scenarios` and `models/<field>`
 * as ours. Throws one error that names all files that are no YAML.
 */
export function readCatalogueFiles(ownFolder?: string): CatalogueFile[] {
  const own = ownFolder === undefined ? [] : entriesIn(ownFolder, `${ownFolder}/`)
  const files = [
    ...entriesIn(shipped, ''),
    ...['people', 'colleagues'].map((name) => {
      return { name: `${name}.yaml`, path: join(shipped, `${name}.yaml`), kind: kindOf(name) }
    }),
    { name: 'models/neutral.yaml', path: join(shipped, 'models/neutral.yaml'), kind: 'Effects' },
    ...own,
  ]
  if (ownFolder !== undefined) refuseUnread(ownFolder, own.length)
  const faults: string[] = []
  const parsed = files.map(({ path, ...file }) => {
    const source = textOf(path, file.name)
    try {
      return { ...file, source, data: load(source) }
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error
      faults.push(`${file.name}:${(error.mark?.line ?? 0) + 1}: ${error.reason}`)
      return { ...file, source, data: null }
    }
  })
  if (faults.length > 0) throw catalogueError(faults)
  return parsed
}

function textOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw catalogueError([`${name}: ${error instanceof Error ? error.message : error}`])
  }
}

function entriesIn(folder: string, prefix: string) {
  const within = (subfolder: string, kind: string, field?: string) =>
    namesIn(join(folder, subfolder))
      .filter((file) => isYaml(file))
      .map((file) => {
        const path = join(folder, subfolder, file)
        return { name: `${prefix}${subfolder}/${file}`, path, kind, field }
      })
  return [
    ...within('scenarios', 'Scenario'),
    ...modelFields.flatMap((field) => within(`models/${field}`, kindOf(field), field)),
  ]
}

const isYaml = (name: string) => /\.ya?ml$/.test(name)

const namesIn = (folder: string): string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder).sort() : []

/** Throws when an organization's own folder has files that are never read: a name is misspelt. */
function refuseUnread(folder: string, read: number): void {
  const isUnread = (known: readonly string[]) => (name: string) =>
    !known.includes(name) && (isYaml(name) || namesIn(join(folder, name)).length > 0)
  const models = join(folder, 'models')
  const unread = [
    ...namesIn(folder)
      .filter(isUnread(['scenarios', 'models']))
      .map((name) => `${join(folder, name)}: it is not read; there are scenarios and models`),
    ...namesIn(models)
      .filter((name) => !modelFields.some((field) => field === name))
      .map((name) => `${join(models, name)}: it is not read; there are ${modelFields.join(', ')}`),
  ]
  if (unread.length > 0) throw catalogueError(unread)
  if (!existsSync(folder)) throw catalogueError([`${folder}: there is no such folder`])
  if (read === 0) throw catalogueError([`${folder}: there are no scenarios and no models in it`])
}

export const catalogueError = (faults: string[]) =>
  new Error(`The blueprint catalogue has ${faults.length} fault(s):\n${faults.join('\n')}`)
