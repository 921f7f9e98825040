import { stringify } from 'csv-stringify/sync'

const guardTrimmed = (text: string) => (/^\s+[=+\-@]/.test(text) ? `'${text}` : text)

export const csvType = 'text/csv; charset=utf-8; header=present'

export const csvHeader = (columns: string[]): string => stringify([columns])

/**
 * Rows as lines of CSV. A spreadsheet would run a text that begins like a formula (OWASP, CSV
 * injection), and may trim what stands before it.
 */
export function csvLines(columns: string[], rows: object[]): string {
  const cast = { string: guardTrimmed, boolean: String }
  return stringify(rows, { columns, escape_formulas: true, cast })
}
