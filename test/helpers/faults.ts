import type { TAP } from 'tap'
import type { Answer } from './service.js'

export type ExpectedFault = [place: string, type: string, msg: string]
type Fault = { loc: string[]; msg: string; type: string }

const byPlace = (one: Fault, other: Fault) => one.loc.join('.').localeCompare(other.loc.join('.'))

/** Asserts a 422 with exactly these faults, in any order, each as place, type and message. */
export function refused(
  t: Pick<TAP, 'equal' | 'strictSame'>,
  { status, body }: Answer,
  ...expected: ExpectedFault[]
): void {
  t.equal(status, 422)
  t.strictSame(Object.keys(body), ['detail'])
  const detail = expected.map(([place, type, msg]) => ({ loc: place.split(' '), msg, type }))
  t.strictSame(body.detail.sort(byPlace), detail.sort(byPlace))
}

export const fieldRequired: ExpectedFault = ['body', 'missing', 'Field required']
export const validString = 'Input should be a valid string'
export const validBoolean = 'Input should be a valid boolean'
export const validList = 'Input should be a valid list'
export const validDictionary = 'Input should be a valid dictionary'
export const validInteger = 'Input should be a valid integer'
export const unparsableInteger = `${validInteger}, unable to parse string as an integer`
