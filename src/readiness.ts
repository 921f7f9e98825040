import type { Schema } from './contract.js'

export type Check = Schema<'ReadinessCheck'>

/** A check of a readiness: what is said when it passed, or else what is missing and how to mend it. */
export function verdict(
  check: string,
  passed: boolean,
  good: string,
  bad: string,
  fix: string,
): Check {
  return { check, passed, message: passed ? good : bad, fix: passed ? null : fix }
}
