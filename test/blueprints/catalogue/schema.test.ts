import { Ajv2020 } from 'ajv/dist/2020.js'
import { readCatalogueFiles, readSchema } from '../../../src/blueprints/catalogue/files.js'
import { t } from '../../helpers/file.js'

const schema = readSchema()

t.test('The schema of the catalogue', async (t) => {
  t.test('compiles for every shape that it describes', async (t) => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema({ ...schema, $id: 'catalogue' })
    for (const name of Object.keys(schema.components.schemas)) {
      t.ok(ajv.getSchema(`catalogue#/components/schemas/${name}`), name)
    }
    t.throws(() => new Ajv2020().compile({ type: 'strin' }), /schema is invalid/)
  })

  t.test('is named in the first line of every file, for editors', async (t) => {
    const files = readCatalogueFiles().filter(({ name }) => name !== 'models/neutral.yaml')
    t.ok(files.length > 50)
    for (const { name, kind, source } of files) {
      const up = '../'.repeat(name.split('/').length - 1)
      const pointer = `${up}schema.yaml#/components/schemas/${kind}`
      t.equal(source.split('\n')[0], `# yaml-language-server: $schema=${pointer}`, name)
    }
  })

  t.test('explains its patterns in words', async (t) => {
    const undescribed: string[] = []
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return
      const { pattern, description } = node as { pattern?: unknown; description?: unknown }
      if (typeof pattern === 'string' && !/^must /.test(String(description))) undescribed.push(path)
      for (const [key, value] of Object.entries(node)) walk(value, `${path}/${key}`)
    }
    walk(schema, '')
    t.strictSame(undescribed, [])
  })
})
