import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { t } from '../helpers/file.js'
import { contract } from '../helpers/walk.js'

const { schemas } = contract.document.components as {
  schemas: Record<string, { enum?: string[] }>
}
const wordsOf = (schema: string) => schemas[schema]?.enum ?? []

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('-types.ts'))
  .map((name) => ({ name, text: readFileSync(join('src', name), 'utf8') }))
const filesWith = (text: string) =>
  sources.filter((source) => source.text.includes(text)).map(({ name }) => name)

t.test('The known error codes are exactly the codes in use', async (t) => {
  const text = sources.find(({ name }) => name === 'errors.ts')?.text ?? ''
  const codes = [...text.matchAll(/contractError\(\s*\d{3},\s*'(\w+)'/g)].map(([, code]) => code)
  t.ok(codes.length > 0)
  t.strictSame([...wordsOf('KnownErrorCode')].sort(), [...new Set(codes)].sort())
})

t.test('Every known type of a fault is in use', async (t) => {
  // The compiler refuses a fault with an unknown type.
  const words = wordsOf('KnownFaultType')
  t.ok(words.length > 0)
  for (const word of words) t.ok(filesWith(`'${word}'`).length > 0, word)
})

t.test('A broken rule has its own type, not value_error', async (t) => {
  t.strictSame(filesWith("'value_error'"), ['http/validation/faults.ts'])
})
