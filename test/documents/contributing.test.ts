import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadContract } from '../../src/contract.js'
import { sectionOf, textOf } from '../helpers/documents.js'
import { t } from '../helpers/file.js'

const document = '.github/CONTRIBUTING.md'

/** The lines of the map: a path from the root of the repository, and the text about it. */
function mapOf(section: string): { path: string; text: string }[] {
  const block = section.split('\n```\n')[1] ?? ''
  const folders: string[] = []
  const entries: { path: string; text: string }[] = []
  for (const line of block.split('\n')) {
    const [, indent = '', name, text = ''] = /^( {0,8})(\S+)(?: +(.*))?$/.exec(line) ?? []
    const last = entries.at(-1)
    if (name) {
      folders.splice(indent.length / 2, folders.length, name)
      entries.push({ path: join(...folders), text })
    } else if (last) last.text += ` ${line.trim()}`
  }
  return entries
}

const map = mapOf(sectionOf(document, 'Where things are'))

t.test('The map of the repository', async (t) => {
  t.test('names every folder of src', async (t) => {
    const isData = /^src\/blueprints\/catalogue\/models\/./
    const folders = readdirSync('src', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => `${join(parentPath, name)}/`)
      .filter((folder) => !isData.test(folder))
    const named = map.map(({ path }) => path)
    t.strictSame(named.filter((path) => /^src\/.+\/$/.test(path)).sort(), folders.sort())
  })

  t.test('names only what exists', async (t) => {
    for (const { path, text } of map) {
      t.ok(existsSync(path), path)
      for (const [file] of text.matchAll(/[\w-]+\.(?:ts|yaml)\b/g)) {
        t.ok(existsSync(join(path, file)), `${file} in ${path}`)
      }
    }
  })
})

t.test('The steps of "Adding an operation" match a real addition', async (t) => {
  const steps = sectionOf(document, 'Adding an operation').matchAll(
    /^\d\. .*?`([^`]+\.(?:yaml|ts))`.*?^ {3}```\w+\n(.*?)^ {3}```$/gms,
  )
  const files = [...steps].map(([, file = '', block = '']) => {
    t.ok(textOf(file).includes(block.replace(/^ {3}/gm, '')), file)
    return file
  })
  t.strictSame(files, [
    'src/organizations/contract.yaml',
    'src/organizations/queries.ts',
    'src/organizations/handlers.ts',
    'test/organizations/organization.test.ts',
  ])
})

t.test('Contract, package and changelog have the same version', async (t) => {
  const { version } = loadContract()
  for (const file of ['package.json', 'package-lock.json']) {
    t.equal(JSON.parse(readFileSync(file, 'utf8')).version, version, file)
  }
  const [newest] = textOf('CHANGELOG.md').match(/^## \d\S*/m) ?? []
  t.equal(newest, `## ${version}`)
})
