import { idsOf, listOf } from './entries.js'
import { type FileFault, fault, type LocatedLine } from './line-faults.js'

/** Finds lines that wait for each other: they would never be posted. */
export function circleFaults(lines: LocatedLine[]): FileFault[] {
  const byId = new Map(lines.flatMap((one) => idsOf([one.line]).map((id) => [id, one] as const)))
  const endings = new Map<LocatedLine, boolean>()
  const ends = (one: LocatedLine): boolean => {
    const known = endings.get(one)
    if (known !== undefined) return known
    endings.set(one, false)
    const all = listOf(one.line.after).every((id) => {
      const cause = byId.get(id)
      return !cause || ends(cause)
    })
    endings.set(one, all)
    return all
  }
  return lines
    .filter((one) => !ends(one))
    .flatMap(({ line, path }) =>
      fault([...path, 'after'], `${line.id} comes after itself, or after one that does`),
    )
}
