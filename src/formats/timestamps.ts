/** An RFC 3339 date-time with an offset or Z. */
const dateTimePattern =
  /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

export function isDateTime(text: string): boolean {
  if (!dateTimePattern.test(text) || !isCalendarDay(text.slice(0, 10))) return false
  const year = new Date(text).getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** Checks the calendar, because Date reads February 30 as March 2. */
function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/**
 * The instant of a valid date-time in UTC with milliseconds, as answers write it. Store only this
 * form: PostgreSQL refuses offsets beyond ±15:59, which RFC 3339 allows.
 */
export function inUtc(dateTime: string): string {
  return new Date(dateTime).toISOString()
}
