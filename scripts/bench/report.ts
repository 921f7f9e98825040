export type Cell = string | number | null
export type Row = Record<string, Cell>

/** The bounds of a figure. */
export interface Goal {
  atLeast?: number
  atMost?: number
  unit?: string
}

export type Goals<What extends string = string> = Readonly<Record<What, Goal>>

/** The result of a scenario. */
export interface Findings<What extends string = string> {
  title: string
  /** Lines of a table that all have the same columns. */
  rows: Row[]
  /** One figure for each goal; null where it could not be measured. */
  figures: Readonly<Record<What, number | null>>
  notes?: string[]
}

export function isMet(goal: Goal, figure: number | null): boolean | null {
  const { atLeast = -Infinity, atMost = Infinity } = goal
  return figure === null ? null : figure >= atLeast && figure <= atMost
}

export function describeGoal({ atLeast, atMost, unit = '' }: Goal): string {
  const bounds = [
    atLeast === undefined ? [] : `≥ ${atLeast}${unit}`,
    atMost === undefined ? [] : `≤ ${atMost}${unit}`,
  ]
  return bounds.flat().join(', ')
}

/** Returns a line for each goal with the measured figure beside it. */
export function goalLines(goals: Goals, { figures }: Pick<Findings, 'figures'>): string[] {
  return Object.entries(goals).map(([what, goal]) => {
    const figure = figures[what] ?? null
    const verdict = { true: 'ok', false: 'SHORT', null: 'not measured' }[`${isMet(goal, figure)}`]
    const measured = formatCell(figure) + (figure === null ? '' : (goal.unit ?? ''))
    return `  ${what.padEnd(60)} ${measured.padStart(10)}   goal ${describeGoal(goal).padEnd(10)} ${verdict}`
  })
}

export function printFindings(name: string, goals: Goals, findings: Findings): void {
  const { title, rows, notes = [] } = findings
  const lines = [...goalLines(goals, findings), ...notes.map((note) => `  ${note}`)]
  console.log([`\n${name}: ${title}\n`, ...tableLines(rows), '', ...lines].join('\n'))
}

/** Returns a Markdown table, which the documentation can show as it is. */
function tableLines(rows: Row[]): string[] {
  const columns = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => columns.map((column) => formatCell(row[column] ?? null)))
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...lines.map((line) => line[i]?.length ?? 0)),
  )
  const join = (cells: string[], filler = ' ') => {
    const padded = cells.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i] ?? 0, filler) : cell.padStart(widths[i] ?? 0, filler),
    )
    return `| ${padded.join(' | ')} |`
  }
  const rule = columns.map((_, i) => (i === 0 ? '-' : ':').padStart(widths[i] ?? 0, '-'))
  return [columns, rule, ...lines].map((cells) => join(cells))
}

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return cell
  const digits = Math.abs(cell) >= 100 || Number.isInteger(cell) ? 0 : Math.abs(cell) >= 10 ? 1 : 2
  return cell.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
