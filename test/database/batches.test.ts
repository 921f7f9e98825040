import { batchesOf } from '../../src/database/batches.js'
import { t } from '../helpers/file.js'

const kib = (count: number) => 'x'.repeat(count * 1024)
const sizes = (rows: object[]) => [...batchesOf(rows)].map(({ length }) => length)

t.test('Rows are written in batches', async (t) => {
  t.test('of at most 1 MiB of text', async (t) => {
    const rows = Array.from({ length: 25 }, (_, i) => ({ i, text: kib(50), other: kib(50) }))
    t.strictSame(sizes(rows), [10, 10, 5])
    t.strictSame([...batchesOf(rows)].flat(), rows)
  })

  t.test('whose text is measured in bytes', async (t) => {
    const rows = Array.from({ length: 4 }, () => ({ text: 'ü'.repeat(300 * 1024) }))
    t.strictSame(sizes(rows), [1, 1, 1, 1])
  })

  t.test('of at most 1,000 rows', async (t) => {
    t.strictSame(sizes(Array.from({ length: 2_001 }, () => ({ text: '' }))), [1_000, 1_000, 1])
  })

  t.test('of one row when that row alone is larger', async (t) => {
    t.strictSame(sizes([{ text: kib(1) }, { text: kib(2_048) }, { text: kib(1) }]), [1, 1, 1])
  })

  t.test('and in no batch when there are no rows', async (t) => {
    t.strictSame(sizes([]), [])
  })
})
