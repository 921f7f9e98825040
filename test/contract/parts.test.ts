import { existsSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { t } from '../helpers/file.js'
import { contract, operations } from '../helpers/walk.js'

type Section = Record<string, object>
interface Part {
  paths?: Record<string, Record<string, { tags?: string[] }>>
  components?: Record<string, Section>
}

const read = (file: string) => load(readFileSync(file, 'utf8')) as Part
const entry = read('openapi.yaml')
const tags = [...new Set(operations.map(({ tag }) => tag))]
const bundled = contract.document as unknown as Required<Part>

t.test('Each tag has its part of the contract in its folder', async (t) => {
  for (const tag of tags) {
    const file = `src/${tag}/contract.yaml`
    t.ok(existsSync(file), file)
    for (const [path, item] of Object.entries(read(file).paths ?? {})) {
      const $ref = `${file}#/paths/${path.replaceAll('/', '~1')}`
      t.strictSame(entry.paths?.[path], { $ref }, `openapi.yaml refers to ${$ref}`)
      for (const operation of Object.values(item)) t.strictSame(operation.tags ?? [tag], [tag])
    }
  }
})

t.test('The bundled contract contains each component of each part', async (t) => {
  const parts = ['openapi.yaml', ...['http', ...tags].map((room) => `src/${room}/contract.yaml`)]
  const components = parts.flatMap((file) =>
    Object.entries(read(file).components ?? {}).flatMap(([section, members]) =>
      Object.keys(members).map((name) => `${section}/${name}`),
    ),
  )
  const ofBundle = Object.entries(bundled.components).flatMap(([section, members]) =>
    Object.keys(members).map((name) => `${section}/${name}`),
  )
  t.strictSame(components.sort(), ofBundle.sort())
})
