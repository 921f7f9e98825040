import type { Schema } from './contract.js'

export type Check = Schema<'ReadinessCheck'>

/** Returns a readiness check: with `good` as its message if it passed, else with `bad` and `fix`. */
export function verdict(
  check: string,
  passed: boolean,
  good: string,
  bad: string,
  fix: string,
): Check {
  return { check, passed, message: passed ? good : bad, fix: passed ? null : fix }
}
