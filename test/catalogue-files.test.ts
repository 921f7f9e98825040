import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogueFile } from '../src/blueprints/catalogue/entries.js'
import {
  catalogueFrom,
  loadCatalogue,
  readCatalogueFiles,
} from '../src/blueprints/catalogue/load.js'
import { t } from './helpers/file.js'

t.test('loadCatalogue', async (t) => {
  const broken = (place: string, change: (text: string) => string): CatalogueFile[] =>
    readCatalogueFiles().map((file) =>
      file.place === place
        ? { ...file, data: JSON.parse(change(JSON.stringify(file.data))) }
        : file,
    )

  t.test('reads once', async (t) => {
    t.equal(loadCatalogue(), loadCatalogue())
  })

  t.test('names the file and line that are no YAML', async (t) => {
    const folder = t.testdir()
    cpSync('src/blueprints/catalogue', folder, { recursive: true })
    writeFileSync(join(folder, 'people.yaml'), 'names:\n  - Ada\n  - [Bo')
    const files = readCatalogueFiles(folder)
    t.throws(() => catalogueFrom(files), /people\.yaml: unexpected end of the stream.*, line 3/)
  })

  t.test('names the file and place of every fault of shape', async (t) => {
    const files = broken('models/pressure_model.yaml', (text) =>
      text.replace('"pace":0.6', '"pace":-1').replace('"at":11', '"at":"noon"'),
    )
    t.throws(() => catalogueFrom(files), /pressure_model\.yaml\/high_strain\/pace/)
    t.throws(() => catalogueFrom(files), /pressure_model\.yaml\/low_strain\/lines\/1\/at/)
  })

  t.test('names placeholders, values, presets and files that do not exist', async (t) => {
    const scenario = 'scenarios/generic.yaml'
    const faulty: [CatalogueFile[], RegExp][] = [
      [
        broken('models/org_culture.yaml', (text) => text.replace('{topic_1}', '{topik}')),
        /org_culture\.yaml\/values\/0.*unknown placeholder \{topik\}/,
      ],
      [
        broken('models/org_culture.yaml', (text) => text.replace('"clan"', '"klan"')),
        /org_culture\.yaml: lacks clan/,
      ],
      [
        broken(scenario, (text) => text.replace('"just_culture"', '"x"')),
        /generic\.yaml\/models: x/,
      ],
      [
        broken(scenario, (text) => text.replace('"from":"partner"', '"from":"boss"')),
        /generic\.yaml\/story\/\d+\/.*from/,
      ],
      [
        readCatalogueFiles().filter(({ kind }) => kind !== 'people'),
        /people: there is no such file/,
      ],
    ]
    for (const [files, message] of faulty) t.throws(() => catalogueFrom(files), message)
  })
})
