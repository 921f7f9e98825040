import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CatalogueFile, readCatalogueFiles } from '../src/blueprints/catalogue/files.js'
import { catalogueFrom, loadCatalogue } from '../src/blueprints/catalogue/load.js'
import { t } from './helpers/file.js'

/** The shipped files, one of them with other text. */
function broken(place: string, from: string, to: string): CatalogueFile[] {
  return readCatalogueFiles().map((file) => {
    if (file.place !== place) return file
    if (!file.source.includes(from)) throw new Error(`${place} has no ${from}`)
    const source = file.source.replace(from, to)
    const folder = t.testdir({ scenarios: {} })
    writeFileSync(join(folder, 'scenarios/changed.yaml'), source)
    const changed = readCatalogueFiles(folder).find((one) => one.place.endsWith('changed.yaml'))
    return { ...file, source, data: changed?.data }
  })
}

/** In which line of a file a text stands. */
const lineOf = (place: string, text: string) =>
  readFileSync(join('src/blueprints/catalogue', place), 'utf8').split(text)[0]?.split('\n').length

t.test('loadCatalogue', async (t) => {
  t.test('reads once', async (t) => {
    t.equal(loadCatalogue(), loadCatalogue())
  })

  t.test('names the file and line that are no YAML', async (t) => {
    const folder = t.testdir({ scenarios: { 'ours.yaml': 'label: A\ncast:\n  - [Bo' } })
    t.throws(() => readCatalogueFiles(folder), /scenarios\/ours\.yaml:3: /)
  })

  t.test('names the file and line of every fault of shape', async (t) => {
    const place = 'models/pressure_model/high_strain.yaml'
    const files = broken(place, 'pace: 0.7', 'pace: -1')
    const line = lineOf(place, 'pace: 0.7')
    t.throws(() => catalogueFrom(files), new RegExp(`${place}:${line}: effects/pace must be > 0`))
    const generic = 'scenarios/generic.yaml'
    const at = lineOf(generic, '\n    hours: ')
    t.throws(
      () => catalogueFrom(broken(generic, '\n    hours: ', '\n    hours: noon # ')),
      new RegExp(`${generic}:${(at ?? 0) + 1}: story/0/hours must be integer`),
    )
  })

  t.test('names what does not exist elsewhere, in its line', async (t) => {
    const clan = 'models/org_culture/clan.yaml'
    const generic = 'scenarios/generic.yaml'
    const faulty: [string, string, string, string][] = [
      [clan, '{topic_1}', '{topik}', 'unknown placeholder {topik}'],
      [clan, 'after: request', 'after: nothing', 'there is no line nothing'],
      [clan, 'channel: home', 'channel: kitchen', 'there is no channel kitchen'],
      [clan, 'value: isolated_high_strain', 'value: x', 'x is no pressure_model'],
      [
        generic,
        'consequence_model: just_culture',
        'consequence_model: x',
        'x is no consequence_model',
      ],
      [generic, 'key: questions', 'key: answers', 'there is no channel with the key questions'],
      [generic, 'slot: lead', 'slot: owner', 'here belongs the lead'],
      [generic, 'id: slip', 'id: error', 'two lines have the id error'],
      [generic, 'kind: decision_point', 'kind: question', 'no line of kind decision_point asks'],
    ]
    for (const [place, from, to, message] of faulty) {
      try {
        catalogueFrom(broken(place, from, to))
        t.fail(message)
      } catch (error) {
        t.match(
          (error as Error).message,
          new RegExp(`${place}:\\d+: .*${message.replace(/[{}]/g, '.')}`),
        )
      }
    }
  })

  t.test('refuses lines that wait for each other', async (t) => {
    const folder = ownScenario((text) => text.replace('after: start', 'after: cause_found'))
    t.throws(
      () => catalogueFrom(readCatalogueFiles(folder)),
      /drill\.yaml:\d+: it comes after itself/,
    )
  })
})

/** A folder with a scenario of one page, made from nothing. */
function ownScenario(change = (text: string) => text): string {
  const readme = readFileSync('README.md', 'utf8')
  const [, page = ''] = /cat > .*drill\.yaml <<'YAML'\n([\s\S]*?)\nYAML\n/.exec(readme) ?? []
  const folder = t.testdir()
  mkdirSync(join(folder, 'scenarios'), { recursive: true })
  writeFileSync(join(folder, 'scenarios/drill.yaml'), change(page))
  return folder
}

t.test("An organization's own files", async (t) => {
  t.test('are beside ours', async (t) => {
    const ours = loadCatalogue()
    const both = loadCatalogue(ownScenario())
    t.strictSame(
      [...both.scenarios.keys()].filter((type) => !ours.scenarios.has(type)),
      ['evacuation'],
    )
    t.strictSame(both.models, ours.models)
  })

  t.test('may have a value of a model', async (t) => {
    const folder = t.testdir({ models: { org_culture: {} } })
    const clan = readFileSync('src/blueprints/catalogue/models/org_culture/clan.yaml', 'utf8')
    const file = join(folder, 'models/org_culture/ours.yaml')
    writeFileSync(file, clan.replace('value: clan', 'value: ours'))
    t.ok(loadCatalogue(folder).models.org_culture.some(({ value }) => value === 'ours'))
    const again = t.testdir({ models: { org_culture: { 'clan.yaml': clan } } })
    t.throws(
      () => catalogueFrom(readCatalogueFiles(again)),
      /org_culture\/clan\.yaml:2: clan is described elsewhere/,
    )
  })

  t.test('must be there', async (t) => {
    t.throws(() => loadCatalogue('/nowhere'), /\/nowhere: there are no scenarios and no models/)
  })
})
