import { isDeepStrictEqual } from 'node:util'
import { parse } from 'csv-parse/sync'
import { csvHeader, csvLines } from '../../src/formats/csv.js'
import { t } from '../helpers/file.js'

const columns = ['record', 'text', 'number', 'flag', 'object', 'none']
const fileWith = (text: string, more: object = {}) =>
  csvHeader(columns) +
  csvLines(columns, [{ record: 'message', text, number: -5, flag: true, none: null, ...more }])

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
const gaps = ['', ' ', '\t', '\r', '\n', '"', ' "', '\u00a0', '\u3000']
const separators = [';', '\t', '\n', '\r\n', '\u2028', ';"";\n']
const risky = signs.flatMap((sign) => [
  ...gaps.map((gap) => `${gap}${sign}1+1`),
  ...separators.flatMap((separator) => gaps.map((gap) => `Hi${separator}${gap}${sign}cmd();x`)),
])

/** The cells of a file in a spreadsheet with this separator in its settings. */
const cellsAt = (delimiter: string, file: string): string[] =>
  parse(file, {
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_error: true,
    record_delimiter: ['\n', '\r', '\r\n'],
  }).flat()
/** The cells in a program that ignores quotes and trims the cells. */
const roughCells = (file: string) => file.split(/[;\t-\r\u0085\u2028\u2029]/)

// TAP cannot have a line separator in a message.
const shown = (text: string) => encodeURI(text)
const isFormula = (cell: string) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell)

t.test('A parser that splits at commas reads the original texts', async (t) => {
  const text = 'quotes ", commas,\nlines; a-b, 1 + 1 = 2, me@home — and =no formula'
  const object = { minutes: -3, said: text }
  const [row] = parse(fileWith(text, { object }), { columns: true })
  const expected = {
    record: 'message',
    text,
    number: '-5',
    flag: 'true',
    object: JSON.stringify(object),
    none: '',
  }
  t.strictSame({ ...(row as object) }, expected)
})

t.test('Texts are in quotes, and other values are not', async (t) => {
  const lines = fileWith('plain', { object: { a: 1 } }).split('\n')
  t.strictSame(lines, [
    '"record","text","number","flag","object","none"',
    '"message","plain",-5,true,"{""a"":1}",',
    '',
  ])
  t.match(fileWith(''), /\n"message","",-5/, 'an empty text differs from a missing one')
})

t.test('No cell is a formula', async (t) => {
  t.test('when cells are separated at commas', async (t) => {
    const rows = parse(
      csvLines(
        ['text'],
        risky.map((text) => ({ text })),
      ),
    ) as string[][]
    const texts = rows.flat()
    t.strictSame(texts.filter(isFormula).length, 0)
    const plain = texts.map((text) => text.replaceAll("'", ''))
    t.ok(isDeepStrictEqual(plain, risky), 'except for apostrophes the texts are unchanged')
  })

  for (const delimiter of [';', '\t']) {
    t.test(`when cells are separated at ${JSON.stringify(delimiter)}`, async (t) => {
      const formulas = risky.filter((text) => cellsAt(delimiter, fileWith(text)).some(isFormula))
      t.strictSame(formulas.map(shown), [])
    })
  }

  t.test('when the program ignores quotes', async (t) => {
    const texts = [...risky, ...risky.map((one) => `${one}\n${one};${one}`)]
    const formulas = texts.filter((text) => {
      return roughCells(fileWith(text, { object: { text } })).some(isFormula)
    })
    t.strictSame(formulas.map(shown), [])
  })

  t.test('inside JSON, which stays valid', async (t) => {
    const [row] = parse(fileWith('', { object: { text: 'a;=1', n: -1 } }), { columns: true })
    const { object } = row as unknown as { object: string }
    t.strictSame(JSON.parse(object), { text: "a;'=1", n: -1 })
  })
})
