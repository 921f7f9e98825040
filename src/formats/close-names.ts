import { closestMatch } from 'leven'

/** The known name that was probably meant. At most a third of the letters may differ. */
export const closestName = (name: string, known: string[]): string | null =>
  closestMatch(name, known, { maxDistance: Math.floor(name.length / 3) }) ?? null
