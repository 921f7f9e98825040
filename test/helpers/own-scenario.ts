import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import type { Test } from 'tap'
import type { Catalogue } from '../../src/blueprints/catalogue/entries.js'
import { type CatalogueFile, readCatalogueFiles } from '../../src/blueprints/catalogue/files.js'
import { catalogueFrom } from '../../src/blueprints/catalogue/load.js'
import { textOf } from './documents.js'

/** The one-page scenario in the catalogue's README. */
export function scenarioOfReadme(): string {
  const readme = textOf('src/blueprints/catalogue/README.md')
  const [, page] = /cat > .*drill\.yaml <<'YAML'\n([\s\S]*?\n)YAML\n/.exec(readme) ?? []
  if (page === undefined) throw new Error('The catalogue has no scenario in its README')
  return page
}

/**
 * The scenario of the README with two decisions: whether the building opens, and who searches it if
 * it stays shut.
 */
export function branchedScenario(): string {
  const text = textOf('test/fixtures/branched-story.yaml')
  const partsOf = (page: string) => page.split(/^(?=[a-z_]+:)/m)
  const own = new Map(partsOf(text).map((part) => [part.split(':')[0], part]))
  return partsOf(scenarioOfReadme())
    .map((part) => own.get(part.split(':')[0]) ?? part)
    .join('')
}

/** Creates a folder with a scenario, like the own scenarios of an organization. */
export function folderWith(t: Pick<Test, 'testdir'>, scenario: string): string {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'scenarios'), { recursive: true })
  writeFileSync(join(folder, 'scenarios/drill.yaml'), scenario)
  return folder
}

/** The built-in files of the catalogue. */
export const builtIn = readCatalogueFiles()

/** A built-in file with a different text. */
export function withText(file: CatalogueFile, from: string, to: string): CatalogueFile {
  if (!file.source.includes(from)) throw new Error(`${file.name} has no ${from}`)
  const source = file.source.replace(from, to)
  return { ...file, source, data: load(source) }
}

/** The built-in files and one more scenario, as if the service had read it from a folder. */
export function filesWith(scenario: string): CatalogueFile[] {
  const own = { name: 'scenarios/drill.yaml', kind: 'Scenario' }
  return [...builtIn, { ...own, source: scenario, data: load(scenario) }]
}

/** The built-in catalogue with one more scenario. */
export const catalogueWith = (scenario: string): Catalogue => catalogueFrom(filesWith(scenario))
