import type { RawBuilder } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { LockedSession } from './queries.js'

type Deviation = Schema<'SessionDeviation'>

/** How many a session keeps. The audit trail has all of them. */
const mostKept = 1_000

/** The deviations of a session with another one, which is of now. */
export function deviationsWith(
  { _id: session_id, now: at, deviations }: LockedSession,
  deviation: Schema<'KnownDeviation'>,
  shift_ms = 0,
): RawBuilder<Deviation[]> {
  const all = [...deviations, { session_id, deviation, at, shift_ms }]
  if (all.length <= mostKept) return jsonb(all)
  // What moved the clock stays: the sum of its shifts is told.
  const oldest = all.findIndex((one) => one.shift_ms === 0)
  return jsonb(all.toSpliced(Math.max(0, oldest), 1))
}
