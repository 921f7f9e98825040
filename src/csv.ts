import { stringify } from 'csv-stringify/sync'

/** What may stand between the beginning of a cell and the sign that makes it a formula. */
const beforeFormula = /(?<![\s;"\u0085])[\s;"\u0085]*(?=[=+\-@＝＋－＠])/g
/** All to the last of what a spreadsheet may begin a new cell after, though it stands in quotes. */
const toLastSeparator = /^.*[;\t-\r\u0085\u2028\u2029]/s

/**
 * A text of which a spreadsheet runs nothing (OWASP, CSV injection). Where `;` or a tab separates
 * cells, it reads the quotes of this file as text, and finds cells within a text. So an apostrophe
 * stands before each formula at the beginning of the text and after a separator in it.
 */
function harmless(text: string): string {
  const inside = text.replace(beforeFormula, (gap) => gap.replace(toLastSeparator, "$&'"))
  return /^(?:[\t\r]|[\s"]*[=+\-@＝＋－＠])/.test(text) ? `'${inside}` : inside
}

const cast = {
  string: harmless,
  boolean: String,
  object: (value: object) => ({ value: harmless(JSON.stringify(value)), quoted: true }),
}

export const csvType = 'text/csv; charset=utf-8; header=present'

export const csvHeader = (columns: string[]): string => csvLines(columns, [columns])

/** Rows as lines of CSV: all texts in quotes and harmless, numbers as they are. */
export const csvLines = (columns: string[], rows: object[]): string =>
  stringify(rows, { columns, quoted_string: true, cast })
