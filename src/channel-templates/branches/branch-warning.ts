import type { Fault, FaultType } from '../../faults.js'
import type { BranchLine } from './lines.js'

export const warning = (type: FaultType, line: BranchLine, at: string[], msg: string): Fault => ({
  loc: [...line.loc, ...at],
  msg,
  type,
})

export const conditionKeys = ['only_if', 'unless'] as const

/** Where a condition of a line is. A line has one or a list. */
export function placeOf({ metadata }: BranchLine, key: string, index: number): string[] {
  return Array.isArray(metadata[key]) ? [key, String(index)] : [key]
}
