import type { List } from './lists.js'

type RawRow = (string | null)[]

/** Gives columns as PostgreSQL's own text. */
export const rawTypes = { getTypeParser: () => (text: string) => text }

/** Writes rows of raw columns as a JSON array, without a parse in between. */
export function joinRows(columns: List['columns'], rows: RawRow[]): string {
  let text = '['
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) text += ','
    text += joinRow(columns, rows[index] ?? [])
  }
  return `${text}]`
}

export function joinRow(columns: List['columns'], row: RawRow): string {
  let text = '{'
  for (let index = 0; index < columns.length; index++) {
    const { name, kind } = columns[index] as List['columns'][number]
    const cell = row[index] ?? null
    text += index === 0 ? `"${name}":` : `,"${name}":`
    if (cell === null) text += 'null'
    else if (kind === 'id') text += `"${cell}"`
    else if (kind === 'text') text += quote(cell)
    else if (kind === 'json') text += cell
    else if (kind === 'time') text += `"${isoText(cell)}"`
    else text += cell === 't' ? 'true' : 'false'
  }
  return `${text}}`
}

/** More than JSON has to escape: what is only looked at twice. */
const mayHaveToBeEscaped = /["\\\p{Cc}\p{Cs}]/u

function quote(text: string): string {
  return mayHaveToBeEscaped.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** Of a timestamptz(3) in UTC, which PostgreSQL writes without the zeros at its end. */
function isoText(text: string): string {
  const milliseconds = text.slice(20, -3).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}
