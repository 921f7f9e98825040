import { idsOf, listOf } from '../entries.js'
import { type FileFault, fault, type LocatedLine } from './line-faults.js'

/** Finds lines that wait for each other: they would never be posted. */
export function circleFaults(lines: LocatedLine[]): FileFault[] {
  const causesOf = causesIn(lines)
  return neverReached(lines, causesOf).flatMap(({ line, path }) =>
    fault([...path, 'after'], `${line.id} comes after itself, or after one that does`),
  )
}

type CausesOf = (one: LocatedLine) => LocatedLine[]

/** Returns what finds the lines that a line comes after. */
export function causesIn(lines: LocatedLine[]): CausesOf {
  const byId = new Map(lines.flatMap((one) => idsOf([one.line]).map((id) => [id, one] as const)))
  return ({ line }) => listOf(line.after).flatMap((id) => byId.get(id) ?? [])
}

/** The lines whose causes lead back to themselves, and the lines after them. */
export function neverReached(lines: LocatedLine[], causesOf: CausesOf): LocatedLine[] {
  const endings = new Map<LocatedLine, boolean>()
  const ends = (one: LocatedLine): boolean => {
    const known = endings.get(one)
    if (known !== undefined) return known
    endings.set(one, false)
    const all = causesOf(one).every(ends)
    endings.set(one, all)
    return all
  }
  return lines.filter((one) => !ends(one))
}
