import { changesBetween } from '../src/audit-events/record.js'
import { t } from './helpers/file.js'

interface Version {
  text: string | null
  flag: boolean | null
  count: number | null
  list: unknown[] | null
  object: Record<string, unknown> | null
}

const fields = ['text', 'flag', 'count', 'list', 'object'] as const
const none: Version = { text: null, flag: null, count: null, list: null, object: null }
const full: Version = { text: 'a', flag: true, count: 1, list: ['a', 'b'], object: { a: 1, b: 2 } }

const cases: Record<string, [Version, Version, readonly (keyof Version)[]]> = {
  'nothing at all': [full, full, []],
  'nothing, all being null': [none, none, []],
  'everything from null': [none, full, fields],
  'everything to null': [full, none, fields],
  'a text to an empty one': [full, { ...full, text: '' }, ['text']],
  'a text by its case': [full, { ...full, text: 'A' }, ['text']],
  'true to false': [full, { ...full, flag: false }, ['flag']],
  'a number to zero': [full, { ...full, count: 0 }, ['count']],
  'the order of a list': [full, { ...full, list: ['b', 'a'] }, ['list']],
  'a list to an empty one': [full, { ...full, list: [] }, ['list']],
  'nothing but the order of keys': [full, { ...full, object: { b: 2, a: 1 } }, []],
  'something deep': [full, { ...full, object: { a: 1, b: { c: [null] } } }, ['object']],
  'two of many fields': [full, { ...full, text: 'ä', count: 2 }, ['text', 'count']],
}

for (const [title, [before, after, changed]] of Object.entries(cases)) {
  t.test(`What changed is ${title}`, async (t) => {
    const expected = changed.map((field) => [field, { from: before[field], to: after[field] }])
    t.strictSame(changesBetween(before, after), Object.fromEntries(expected))
  })
}
