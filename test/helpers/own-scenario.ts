import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Catalogue } from '../../src/blueprints/catalogue/entries.js'
import { readCatalogueFiles } from '../../src/blueprints/catalogue/files.js'
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
 * The scenario of the README with two decisions: whether the building opens, and, if it stays shut, who
 * searches it.
 */
export function branchedScenario(): string {
  const text = textOf('test/fixtures/branched-story.yaml')
  const partsOf = (page: string) => page.split(/^(?=[a-z_]+:)/m)
  const own = new Map(partsOf(text).map((part) => [part.split(':')[0], part]))
  return partsOf(scenarioOfReadme())
    .map((part) => own.get(part.split(':')[0]) ?? part)
    .join('')
}

/** A folder with a scenario, as an organization has its own. */
export function folderWith(t: Pick<Test, 'testdir'>, scenario: string): string {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'scenarios'), { recursive: true })
  writeFileSync(join(folder, 'scenarios/drill.yaml'), scenario)
  return folder
}

/** The built-in catalogue with one more scenario. */
export const catalogueWith = (t: Pick<Test, 'testdir'>, scenario: string): Catalogue =>
  catalogueFrom(readCatalogueFiles(folderWith(t, scenario)))
