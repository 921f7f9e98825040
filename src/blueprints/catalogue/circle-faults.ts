import { idsOf, listOf } from './entries.js'
import { type Found, fault, type Named } from './line-faults.js'

/** Lines that wait for each other would never be said. */
export function circleFaults(lines: Named[]): Found[] {
  const byId = new Map(lines.flatMap((one) => idsOf([one.line]).map((id) => [id, one] as const)))
  const endings = new Map<Named, boolean>()
  const ends = (one: Named): boolean => {
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
