import type { Schema } from '../contract.js'
import { type Fault, throwFaults, valueFault } from '../errors.js'

type Scale = Schema<'RubricScale'>
type Rubric = Schema<'RubricItem'>[]
type NewRating = Schema<'NewRating'>

/** Throws 422, with every fault, where a rating is of nothing, of nobody, twice or off its scale. */
export function checkRatings(
  ratings: NewRating[],
  rubric: Rubric,
  assignment_ids: ReadonlySet<string>,
): void {
  const scales = new Map(rubric.map(({ criterion, scale }) => [criterion, scale]))
  const met = new Set<string>()
  const faults = ratings.flatMap((rating, i): Fault[] => {
    const { criterion, assignment_id } = rating
    const key = JSON.stringify([criterion, assignment_id ?? null])
    const isRepeated = met.has(key)
    met.add(key)
    const scale = scales.get(criterion)
    const whatFault = scale ? isRepeated && 'is rated twice' : 'is no criterion of the rubric'
    const valueIs = scale && scaleFault(scale, rating.value)
    const isStranger = assignment_id && !assignment_ids.has(assignment_id)
    const place = ['body', 'ratings', String(i)]
    return [
      ...(whatFault ? [valueFault([...place, 'criterion'], whatFault)] : []),
      ...(isStranger ? [valueFault([...place, 'assignment_id'], 'is nobody in this session')] : []),
      ...(valueIs ? [valueFault([...place, 'value'], valueIs)] : []),
    ]
  })
  throwFaults(faults)
}

/** What is wrong with a value as one of a scale; null where nothing is. */
function scaleFault({ type, min = -Infinity, max = Infinity }: Scale, value: unknown) {
  switch (type) {
    case 'ordinal':
      return numberFault(value, { min, max, isWhole: true })
    case 'count':
      return numberFault(value, { min: Math.max(min, 0), max, isWhole: true })
    case 'duration':
      return numberFault(value, { min: Math.max(min, 0), max, isWhole: false })
    case 'boolean':
      return typeof value === 'boolean' ? null : 'is neither true nor false'
    case 'text':
      return typeof value === 'string' && /\S/.test(value) ? null : 'is no text'
    // A catalogue of a later version may have other scales, of which there is nothing to say here.
    default:
      return null
  }
}

interface Bounds {
  min: number
  max: number
  isWhole: boolean
}

function numberFault(value: unknown, { min, max, isWhole }: Bounds): string | null {
  const isNumber = isWhole ? Number.isInteger(value) : Number.isFinite(value)
  if (isNumber && Number(value) >= min && Number(value) <= max) return null
  const kind = isWhole ? 'whole number' : 'number'
  return `is no ${kind} from ${min}${Number.isFinite(max) ? ` to ${max}` : ' on'}`
}
