import type { Costs } from './scale/costs.js'

export type Cell = string | number | null

/** One measured number beside what it should be. */
export interface Goal {
  what: string
  value: number | null
  atLeast?: number
  atMost?: number
  unit?: string
}

/** What a scenario found out. */
export interface Outcome {
  title: string
  /** Each with the same columns. */
  rows: Record<string, Cell>[]
  goals: Goal[]
  notes?: string[]
  /** What each operation costs, for what is worked out from it. */
  costs?: Costs
}

export function isMet({ value, atLeast = -Infinity, atMost = Infinity }: Goal): boolean | null {
  return value === null ? null : value >= atLeast && value <= atMost
}

export function printOutcome(name: string, { title, rows, goals, notes = [] }: Outcome): void {
  console.log(`\n${name}: ${title}\n`)
  printTable(rows)
  if (goals.length > 0) console.log('')
  for (const goal of goals) console.log(`  ${goalLine(goal)}`)
  for (const note of notes) console.log(`  ${note}`)
}

export function goalLine(goal: Goal): string {
  const { what, value, atLeast, atMost, unit = '' } = goal
  const verdict = { true: 'ok', false: 'SHORT', null: 'not measured' }[`${isMet(goal)}`]
  const wanted = [
    ...(atLeast === undefined ? [] : [`≥ ${atLeast}${unit}`]),
    ...(atMost === undefined ? [] : [`≤ ${atMost}${unit}`]),
  ]
  const measured = `${formatCell(value)}${value === null ? '' : unit}`
  return `${what.padEnd(58)} ${measured.padStart(10)}   goal ${wanted.join(', ').padEnd(10)} ${verdict}`
}

/** In Markdown, so that the README can show it as it is. */
function printTable(rows: Record<string, Cell>[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => columns.map((column) => formatCell(row[column] ?? null)))
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...lines.map((line) => line[index]?.length ?? 0)),
  )
  const line = (cells: string[], filler = ' ') =>
    `| ${cells
      .map((cell, index) => {
        const width = widths[index] ?? 0
        return index === 0 ? cell.padEnd(width, filler) : cell.padStart(width, filler)
      })
      .join(' | ')} |`
  const rule = columns.map((_, index) =>
    (index === 0 ? '-' : ':').padStart(widths[index] ?? 0, '-'),
  )
  for (const cells of [columns, rule, ...lines]) console.log(line(cells))
}

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return cell
  const digits = Math.abs(cell) >= 100 || Number.isInteger(cell) ? 0 : Math.abs(cell) >= 10 ? 1 : 2
  return cell.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
