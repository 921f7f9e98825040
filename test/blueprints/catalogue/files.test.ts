import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CatalogueFile, readCatalogueFiles } from '../../../src/blueprints/catalogue/files.js'
import { catalogueFrom, loadCatalogue } from '../../../src/blueprints/catalogue/load.js'
import { t } from '../../helpers/file.js'
import {
  builtIn,
  filesWith,
  folderWith,
  scenarioOfReadme,
  withText,
} from '../../helpers/own-scenario.js'

/** The built-in files, one of them with a different text. */
const builtInWith = (place: string, from: string, to: string): CatalogueFile[] =>
  builtIn.map((file) => (file.name === place ? withText(file, from, to) : file))

/** Returns the message that refuses a catalogue, or an empty text. */
function refusalOf(files: CatalogueFile[]): string {
  try {
    catalogueFrom(files)
    return ''
  } catch (error) {
    return String(error)
  }
}

/** The number of the line that contains a text. */
const lineOf = (place: string, text: string) =>
  readFileSync(join('src/blueprints/catalogue', place), 'utf8').split(text)[0]?.split('\n').length

t.test('loadCatalogue', async (t) => {
  t.test('reads the files once', async (t) => {
    t.equal(loadCatalogue(), loadCatalogue())
  })

  t.test('returns what the files say', async (t) => {
    t.strictSame(loadCatalogue(), catalogueFrom(readCatalogueFiles()))
  })

  t.test('names the file and the line of invalid YAML', async (t) => {
    const folder = t.testdir({ scenarios: { 'ours.yaml': 'label: A\ncast:\n  - [Bo' } })
    t.throws(() => readCatalogueFiles(folder), /scenarios\/ours\.yaml:3: /)
  })

  t.test('names the file and the line of every wrong shape', async (t) => {
    const place = 'models/pressure_model/high_strain.yaml'
    const files = builtInWith(place, 'pace: 0.7', 'pace: -1')
    const line = lineOf(place, 'pace: 0.7')
    t.throws(() => catalogueFrom(files), new RegExp(`${place}:${line}: effects/pace must be > 0`))
    const generic = 'scenarios/generic.yaml'
    const at = lineOf(generic, '\n    hours: ')
    t.throws(
      () => catalogueFrom(builtInWith(generic, '\n    hours: ', '\n    hours: noon # ')),
      new RegExp(`${generic}:${(at ?? 0) + 1}: story/0/hours must be integer`),
    )
  })

  t.test('names a reference to something that does not exist, with its line', async (t) => {
    const clan = 'models/org_culture/clan.yaml'
    const generic = 'scenarios/generic.yaml'
    const faulty: [string, string, string, string][] = [
      [clan, '{topic_1}', '{topik}', 'unknown placeholder {topik}'],
      [clan, 'after: request', 'after: nothing', 'there is no line nothing'],
      [clan, 'channel: home', 'channel: kitchen', 'there is no channel kitchen'],
      [clan, 'channel: home', 'channel: home\n    artefact: x', 'only a scenario has artefacts'],
      [clan, 'value: isolated_high_strain', 'value: x', 'x is no pressure_model'],
      [
        generic,
        'consequence_model: just_culture',
        'consequence_model: x',
        'x is no consequence_model',
      ],
      [generic, 'key: questions', 'key: answers', 'there is no channel with the key questions'],
      [generic, 'slot: lead', 'slot: owner', 'this slot should be lead'],
      [generic, 'id: slip', 'id: error', 'two lines have the id error'],
      [generic, 'kind: decision_point', 'kind: work', 'no line of kind decision_point asks'],
    ]
    for (const [place, from, to, message] of faulty) {
      const wanted = new RegExp(`${place}:\\d+: .*${message.replace(/[{}]/g, '.')}`)
      t.match(refusalOf(builtInWith(place, from, to)), wanted)
    }
  })

  t.test('refuses lines that wait for each other', async (t) => {
    const files = ownScenario((text) => text.replace('after: start', 'after: cause_found'))
    t.throws(() => catalogueFrom(files), /drill\.yaml:\d+: \w+ comes after itself/)
  })
})

/** The built-in files and the scenario of the README, with a change of its text. */
const ownScenario = (change: (text: string) => string): CatalogueFile[] =>
  filesWith(change(scenarioOfReadme()))

t.test("An organization's own files", async (t) => {
  t.test('are added to the built-in ones', async (t) => {
    const without = loadCatalogue()
    const both = loadCatalogue(folderWith(t, scenarioOfReadme()))
    t.strictSame(
      [...both.scenarios.keys()].filter((type) => !without.scenarios.has(type)),
      ['evacuation'],
    )
    t.strictSame(both.models, without.models)
  })

  t.test('can add a value to a model', async (t) => {
    const folder = t.testdir({ models: { org_culture: {} } })
    const clan = readFileSync('src/blueprints/catalogue/models/org_culture/clan.yaml', 'utf8')
    const file = join(folder, 'models/org_culture/ours.yaml')
    writeFileSync(file, clan.replace('value: clan', 'value: ours'))
    t.ok(loadCatalogue(folder).models.org_culture.some(({ value }) => value === 'ours'))
    const again = t.testdir({ models: { org_culture: { 'clan.yaml': clan } } })
    t.throws(
      () => catalogueFrom(readCatalogueFiles(again)),
      /org_culture\/clan\.yaml:2: clan is described in models\/org_culture\/clan\.yaml as well/,
    )
  })

  t.test('must be in a folder that exists', async (t) => {
    t.throws(() => loadCatalogue('/nowhere'), /\/nowhere: there is no such folder/)
  })
})

const situation = `situation:
  place: An office tower.
  people: The safety officer leads.
  stakes: Two visitors.
  terms: [${'{ term: gate, meaning: the way out },'.repeat(6)}]
`

const artefacts = `artefacts:
  - { key: plan, title: Alarm plan, text: Walk. }
  - { key: list, title: Visitor list, text: Two names. }
  - { key: log, title: Alarm log, text: Empty. }
`

t.test('A scenario is refused, with the line of the fault, when', async (t) => {
  const faulty: [string, string, string, RegExp][] = [
    ['a key is misspelt', 'rubric: []', 'rubrik: []', /experiment\/rubrik is not known here/],
    ['a text has double spaces', '"The building stays', '"The  building stays', /double spaces/],
    [
      'a text cannot be stored',
      '"The building stays',
      '"\\0 The building stays',
      /cannot be stored/,
    ],
    ['a brace is left open', '"The building stays', '"{lead The building stays', /a brace in it/],
    [
      'a brief has a placeholder',
      'You count your floor.',
      '"{lead} counts."',
      /placeholder \{lead\}/,
    ],
    ['a speaker is not in the cast', 'from: owner', 'from: partner', /no speaker partner/],
    ['a speaker names themselves', '"I have to', '"As {lead} I have to', /speaks of themselves/],
    [
      'two people have the same key',
      'key: front_desk',
      'key: safety_officer',
      /another one has the key safety_officer/,
    ],
    [
      'a colleague has the same key',
      'key: front_desk',
      'key: dispatcher',
      /has the key dispatcher/,
    ],
    [
      'the working hours contain no whole hour',
      '"08:00-16:30"',
      '"09:10-09:50"',
      /they contain no whole hour/,
    ],
    [
      'two channels have the same name',
      'name: safety,',
      'name: everybody,',
      /the channel_name everybody/,
    ],
    [
      'no channel can be named after a unit',
      'unit: Safety',
      'unit: "24/7!"',
      /terms\/unit must be one to six words/,
    ],
    ['a kind is unknown', 'kind: incident', 'kind: incidnet', /kind must be .*history, incident/],
    ['history comes after the start', 'kind: incident', 'kind: history', /its hours are negative/],
    ['nothing follows a decision', 'fallback_for: count, ', '', /no line is fallback_for count/],
    [
      'a decision is not described',
      'decision_point, beat: count',
      'decision_point',
      /no decision point/,
    ],
    [
      'a measure names an unknown channel',
      'beat: count }]',
      'channel: nowhere }]',
      /no channel nowhere/,
    ],
    [
      'a reply answers a later one',
      'minutes: 4,',
      'minutes: 4, after: x,',
      /no earlier reply here is x/,
    ],
    [
      'a line shows an unknown artefact',
      'kind: incident',
      'kind: incident\n    artefact: list',
      /there is no artefact list/,
    ],
    [
      'no line shows an artefact',
      'beats:',
      `${artefacts}beats:`,
      /no line shows the artefact plan/,
    ],
    [
      'two artefacts have the same key',
      'beats:',
      `${artefacts.replaceAll('list', 'plan')}beats:`,
      /another one has the key plan/,
    ],
    [
      'a part of the observer’s sheet ends before it begins',
      'beats:',
      'observer: [{ from_minute: 20, to_minute: 10, watch: Who counts. }]\nbeats:',
      /to_minute 10 is not after from_minute 20/,
    ],
    ['a term is explained twice', 'beats:', `${situation}beats:`, /another one has the term gate/],
    [
      'a language is no tag',
      'terms:\n',
      'lang: Hebrew\nterms:\n',
      /lang must be a language tag, such as/,
    ],
    ['an arm is unknown', 'intervention: "The', 'treatment: "The', /arm\/treatment is not known/],
    ['a model value is unknown', 'org_culture: hierarchy', 'org_culture: x', /x is no org_culture/],
  ]
  for (const [what, from, to, message] of faulty) {
    t.test(what, async (t) => {
      const page = scenarioOfReadme()
      if (!page.includes(from)) throw new Error(`The scenario has no ${from}`)
      const refusal = refusalOf(ownScenario((text) => text.replace(from, to)))
      t.match(refusal, message)
      t.match(refusal, /drill\.yaml:[1-9]\d*: /)
    })
  }

  t.test('a key is unknown, anywhere in the file', async (t) => {
    const faultAt = (text: string) => {
      const page = scenarioOfReadme()
      const line = page.split(text)[0]?.split('\n').length
      return {
        files: ownScenario((all) => all.replace(text, `knd: x\n${text}`)),
        place: new RegExp(`drill\\.yaml:${line}: knd is`),
      }
    }
    for (const text of ['label: Evacuation', 'story:', 'experiment:']) {
      const { files, place } = faultAt(text)
      t.throws(() => catalogueFrom(files), place, text)
    }
  })

  t.test('lines wait for each other in a cycle of any length', async (t) => {
    const lines = Array.from({ length: 60 }, (_, i) => {
      const after = i < 2 ? 'start' : `[l${i - 1}, l${i - 2}]`
      return `  - { id: l${i}, kind: work, from: lead, channel: home, after: ${after}, hours: 1, text: "On to the next." }`
    }).join('\n')
    const more = (text: string) => text.replace('story:\n', `story:\n${lines}\n`)
    t.ok(catalogueFrom(ownScenario(more)))
    const loop = (text: string) => more(text).replace('after: start', 'after: l59')
    t.throws(() => catalogueFrom(ownScenario(loop)), /drill\.yaml:\d+: \w+ comes after itself/)
  })
})

t.test('A file in the folder that the service does not read is refused', async (t) => {
  const refused: [object, RegExp][] = [
    [{ scenario: { 'a.yaml': '' } }, /\/scenario: it is not read; there are scenarios and models/],
    [{ 'people.yaml': '' }, /\/people\.yaml: it is not read/],
    [{ models: { org_cultur: {} } }, /models\/org_cultur: it is not read; there are org_culture/],
    [{ scenarios: { 'x.yaml': {} } }, /scenarios\/x\.yaml: EISDIR/],
    [{}, /there are no scenarios and no models in it/],
  ]
  for (const [fixture, message] of refused) {
    const folder = t.testdir({})
    rmSync(folder, { recursive: true })
    t.throws(() => readCatalogueFiles(t.testdir(fixture as never)), message)
  }
})
