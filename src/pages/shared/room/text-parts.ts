/** A part of a text: lines of a paragraph, the items of a list, or the rows of a table. */
export interface Part {
  line: string
  items: Item[]
  rows: string[][]
}

export interface Item {
  text: string
  /** Whether a box before the text is ticked; null without a box. */
  isTicked: boolean | null
}

const itemOf = /^\s*(?:[-–•*]\s+)?(?:\[([ xX])\]\s+)?/

/** Neighbouring lines of the same kind are one part. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = []
  const lines = text.split('\n')
  for (const [i, line] of lines.entries()) {
    const last = parts.at(-1)
    const [start = '', box] = itemOf.exec(line) ?? []
    const cells = cellsOf(line)
    const isIn = (other: string | undefined) => cellsOf(other ?? '').length === cells.length
    if (cells.length > 1 && (isIn(lines[i - 1]) || isIn(lines[i + 1]))) {
      if (last?.rows[0]?.length === cells.length) last.rows.push(cells)
      else parts.push({ line: '', items: [], rows: [cells] })
    } else if (start.trim() !== '') {
      const isTicked = box === undefined ? null : box !== ' '
      const item = { text: line.slice(start.length), isTicked }
      if (last && last.items.length > 0) last.items.push(item)
      else parts.push({ line: '', items: [item], rows: [] })
    } else if (last?.line) last.line += `\n${line}`
    else if (line.trim() !== '') parts.push({ line, items: [], rows: [] })
  }
  return parts
}

/** The cells of a row of a table; any other line is one cell. */
const cellsOf = (line: string) => line.split(/\s\|(?:\s+|$)/).map((cell) => cell.trimEnd())
