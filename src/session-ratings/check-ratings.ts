import type { Schema } from '../contract.js'
import { type Fault, type Reason, throwFaults, valueFault } from '../faults.js'

type Scale = Schema<'RubricScale'>
type Rubric = Pick<Schema<'RubricItem'>, 'criterion' | 'scale'>[]
type NewRating = Schema<'NewRating'>

/**
 * Throws 422, with every fault: an unknown criterion or participant, a repetition, a value off its scale.
 * `field` is where the body has the ratings.
 */
export function checkRatings(
  ratings: NewRating[],
  rubric: Rubric,
  assignment_ids: ReadonlySet<string>,
  field: 'ratings' | 'values' = 'ratings',
): void {
  const scales = new Map(rubric.map(({ criterion, scale }) => [criterion, scale]))
  const seen = new Set<string>()
  const faults = ratings.flatMap((rating, i): Fault[] => {
    const { criterion, assignment_id } = rating
    const key = JSON.stringify([criterion, assignment_id ?? null])
    const isRepeated = seen.has(key)
    seen.add(key)
    const scale = scales.get(criterion)
    const criterionFault = scale ? isRepeated && ratedTwice : unknownCriterion
    const valueFaultText = scale && scaleFault(scale, rating.value)
    const isUnknown = assignment_id && !assignment_ids.has(assignment_id)
    const loc = ['body', field, String(i)]
    return [
      ...(criterionFault ? [valueFault([...loc, 'criterion'], ...criterionFault)] : []),
      ...(isUnknown ? [valueFault([...loc, 'assignment_id'], ...unknownAssignment)] : []),
      ...(valueFaultText ? [valueFault([...loc, 'value'], 'off_scale', valueFaultText)] : []),
    ]
  })
  throwFaults(faults)
}

const ratedTwice: Reason = ['duplicate', 'is rated twice']
const unknownCriterion: Reason = ['unknown_criterion', 'is no criterion of the rubric']
const unknownAssignment: Reason = ['unknown_assignment', 'is not a participant of this session']

/** What is wrong with a value on its scale; null if it is valid. */
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
    // A later version of the catalogue may have scales that are unknown here.
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
