import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { t } from './helpers/file.js'
import { contract } from './helpers/walk.js'

const { schemas } = contract.document.components as {
  schemas: Record<string, { enum?: string[] }>
}
const wordsOf = (schema: string) => schemas[schema]?.enum ?? []

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('-types.ts'))
  .map((name) => ({ name, text: readFileSync(join('src', name), 'utf8') }))
const filesWith = (text: string) =>
  sources.filter((source) => source.text.includes(text)).map(({ name }) => name)

t.test('Every code of an error is a known one, and no other is known', async (t) => {
  const text = sources.find(({ name }) => name === 'errors.ts')?.text ?? ''
  const codes = [...text.matchAll(/contractError\(\s*\d{3},\s*'(\w+)'/g)].map(([, code]) => code)
  t.ok(codes.length > 0)
  t.strictSame([...wordsOf('KnownErrorCode')].sort(), [...new Set(codes)].sort())
})

t.test('Every known type of a fault is one that goes out', async (t) => {
  // The compiler refuses a fault with another one.
  const words = wordsOf('KnownFaultType')
  t.ok(words.length > 0)
  for (const word of words) t.ok(filesWith(`'${word}'`).length > 0, word)
})

t.test('A rule that is broken has a word of its own, not value_error', async (t) => {
  t.strictSame(filesWith("'value_error'"), ['http/validation/faults.ts'])
})
