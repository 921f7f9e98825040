import type { RawBuilder } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { LockedSession } from './queries.js'

type Deviation = Schema<'SessionDeviation'>

/** How many deviations a session keeps. The audit trail has all of them. */
const maxKept = 1_000

/** Adds a deviation, at the present time, to those of a session. */
export function deviationsWith(
  { _id: session_id, now: at, deviations }: LockedSession,
  deviation: Schema<'KnownDeviation'>,
  about: Pick<Partial<Deviation>, 'shift_ms' | 'speed_change'> = {},
): RawBuilder<Deviation[]> {
  const all = [...deviations, { session_id, deviation, at, shift_ms: 0, ...about }]
  if (all.length <= maxKept) return jsonb(all)
  // Drops the oldest one that did not shift the clock: the API returns the sum of all shifts.
  const oldest = all.findIndex((one) => one.shift_ms === 0)
  return jsonb(all.toSpliced(Math.max(0, oldest), 1))
}
