import pg from 'pg'

/** Rows as PostgreSQL wrote them, which is most of the way to JSON. */
export interface RawRows {
  fields: { name: string; dataTypeID: number }[]
  rows: (string | null)[][]
}

const { BOOL, INT2, INT4, INT8, JSON: JSON_TYPE, JSONB, TIMESTAMPTZ, UUID } = pg.types.builtins

type Writer = (text: string) => string

const asItIs: Writer = (text) => text
const quoted: Writer = (text) => `"${text}"`

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what JSON has to escape
const hasToBeEscaped = /["\\\u0000-\u001f\ud800-\udfff]/
const escaped: Writer = (text) => (hasToBeEscaped.test(text) ? JSON.stringify(text) : `"${text}"`)

const writers = new Map<number, Writer>([
  [BOOL, (text) => (text === 't' ? 'true' : 'false')],
  [INT2, asItIs],
  [INT4, asItIs],
  [INT8, asItIs],
  [JSON_TYPE, asItIs],
  [JSONB, asItIs],
  [UUID, quoted],
  [TIMESTAMPTZ, (text) => `"${isoTimestamp(text)}"`],
])

/** The types of columns that a list may have, besides text. */
export const rawTypes = [...writers.keys()]

/** PostgreSQL's text of a timestamptz in UTC as the contract writes times, with milliseconds. */
export function isoTimestamp(text: string): string {
  if (!text.endsWith('+00')) throw new Error('The database session does not use UTC')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}

/** Rows as the text of a JSON array, without a value parsed on the way. */
export function writeJson({ fields, rows }: RawRows): string {
  const columns = fields.map(({ name, dataTypeID }, index) => ({
    key: `${index === 0 ? '{' : ','}"${name}":`,
    write: writers.get(dataTypeID) ?? escaped,
  }))
  let text = '['
  let separator = ''
  for (const row of rows) {
    text += separator
    for (let index = 0; index < columns.length; index++) {
      const { key, write } = columns[index] as (typeof columns)[number]
      const value = row[index]
      text += value === null || value === undefined ? `${key}null` : key + write(value)
    }
    text += '}'
    separator = ','
  }
  return `${text}]`
}
