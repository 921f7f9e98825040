import type { Schema } from './contract.js'
import { ContractError } from './errors.js'

/** The kind of a fault. The contract lists all kinds. */
export type FaultType = Schema<'KnownFaultType'>

/** An item of a 422, or a warning of the same shape. */
export type Fault = Schema<'ValidationErrorItem'> & { type: FaultType }

/** How many faults an answer has at most. */
export const maxFaults = 1_000
/** How many characters their locations may have together. The first fault is always reported. */
const maxLocCharacters = 262_144
/** How many characters of a key are reported: a caller could send very long keys with many faults. */
const maxKeyCharacters = 200

/** Returns a 422 with as many of the faults as fit, so that a hostile body gets a small answer. */
export const validationFailed = (faults: Fault[]) =>
  new ContractError(422, { detail: limitFaults(faults, ({ loc }) => loc) })

/** Returns the faults that fit into one answer. */
export function limitFaults<F>(faults: Iterable<F>, locOf: (fault: F) => string[]): F[] {
  const reported: F[] = []
  let characters = 0
  for (const fault of faults) {
    for (const key of locOf(fault)) characters += key.length
    if (reported.length === maxFaults || (reported.length > 0 && characters > maxLocCharacters))
      break
    reported.push(fault)
  }
  return reported
}

/** Shortens a long key. */
export const shortenKey = (key: string) =>
  key.length > maxKeyCharacters ? `${key.slice(0, maxKeyCharacters - 1).toWellFormed()}…` : key

/** Throws a 422 if there are faults. */
export function throwFaults(faults: Fault[]): void {
  if (faults.length > 0) throw validationFailed(faults)
}

/** The kind of a fault, for programs, and its message, for people. */
export type Reason = [type: FaultType, message: string]

/** The fault of a value that fits its schema but breaks a rule. */
export const valueFault = (loc: string[], ...[type, message]: Reason): Fault => ({
  loc,
  msg: `Value error, ${message}`,
  type,
})

/** Returns a 422 for one such value. */
export const valueError = (loc: string[], ...reason: Reason) =>
  validationFailed([valueFault(loc, ...reason)])

const fieldRequired: Fault = { loc: ['body'], msg: 'Field required', type: 'missing' }
export const bodyMissing = () => validationFailed([fieldRequired])

/** The fault of a body that is not an object. */
export const notAnObject: Reason = [
  'model_attributes_type',
  'Input should be a valid dictionary or object to extract fields from',
]
