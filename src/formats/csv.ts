import { stringify } from 'csv-stringify/sync'
import type { Pieces } from '../contract.js'

/** The characters that may stand between the start of a cell and the sign of a formula. */
const beforeFormula = /(?<![\s;"\u0085])[\s;"\u0085]*(?=[=+\-@＝＋－＠])/g
/** Everything up to the last character after which a spreadsheet may start a cell, even in quotes. */
const toLastSeparator = /^.*[;\t-\r\u0085\u2028\u2029]/s

/**
 * Makes a text harmless, so that a spreadsheet runs no formula in it (OWASP, CSV injection). A
 * spreadsheet that separates cells by `;` or tab reads our quotes as text, and finds cells inside a
 * text. So an apostrophe goes before each formula at the start of the text and after a separator.
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

/** Rows as lines of CSV. All texts are quoted and harmless. Numbers are unchanged. */
export const csvLines = (columns: string[], rows: object[]): string =>
  stringify(rows, { columns, quoted_string: true, cast })

interface FileOptions {
  format: string
  /** Whether CSV begins with a byte order mark. Other formats never do. */
  bom?: boolean | undefined
}

/** The pieces of a file, after a byte order mark if the options ask for one. */
export async function* withByteOrderMark(pieces: Pieces, { format, bom }: FileOptions): Pieces {
  if (format === 'csv' && bom) yield '\ufeff'
  yield* pieces
}
