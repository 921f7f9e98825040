import { DateTime, IANAZone } from 'luxon'
import { valueError } from '../../faults.js'

/** Reads the time zone that a request names. Throws 422 when the IANA database has no such name. */
export function readTimeZone(name: string, loc: string[]): IANAZone {
  // Newer engines take offsets such as +01:00 for names.
  if (!/^[A-Za-z]/.test(name) || !IANAZone.isValidZone(name))
    throw valueError(loc, 'unknown_time_zone', 'is no time zone of the IANA database')
  // Luxon caches a formatter for every spelling of a name: give it one spelling only.
  const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions()
  return IANAZone.create(timeZone)
}

/** Reads the start that a request names, to the second. Throws 422 when its year is out of range. */
export function readStart(start_at: string, loc: string[]): number {
  const start = new Date(start_at)
  const year = start.getUTCFullYear()
  if (year < 2000 || year > 2999)
    throw valueError(loc, 'year_out_of_range', 'should be in the years from 2000 to 2999')
  return start.setUTCMilliseconds(0)
}

/** Formats an instant as RFC 3339 with the offset of the zone, to the second. */
export const formatZoned = (instant: number, zone: IANAZone): string =>
  DateTime.fromMillis(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ")

/** Returns the next Monday at nine after an instant. */
export function mondayMorningAfter(instant: number, zone: IANAZone): number {
  const monday = DateTime.fromMillis(instant, { zone }).startOf('week').set({ hour: 9 })
  const next = monday.toMillis() > instant ? monday : monday.plus({ weeks: 1 })
  return next.toMillis()
}
