import { valueError } from '../errors.js'

const minute = 60_000
const day = 24 * 60 * minute
/** No zone changes its offset at any other time than a quarter of an hour. */
const quarter = 15 * minute

/** A time zone of the IANA database, with the offsets that it has had and will have. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat
  readonly #offsets = new Map<number, number>()

  /** Throws a RangeError when there is no zone of this name. */
  constructor(readonly name: string) {
    // Newer engines take offsets such as +01:00 for names.
    if (!/^[A-Za-z]/.test(name)) throw new RangeError('An offset is no time zone')
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  }

  /** Milliseconds by which the zone is ahead of UTC at an instant. */
  offsetAt(instant: number): number {
    const from = Math.floor(instant / quarter)
    const offset = this.#offsets.get(from) ?? this.#readOffset(from * quarter)
    this.#offsets.set(from, offset)
    return offset
  }

  #readOffset(instant: number): number {
    const parts = this.#format.formatToParts(instant)
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
    const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minute
    return sign === '-' ? -offset : offset
  }

  /** An instant as RFC 3339 with the offset of the zone, to the second. */
  write(instant: number): string {
    const offset = this.offsetAt(instant)
    const local = new Date(instant + offset).toISOString().slice(0, 19)
    const clock = new Date(Math.abs(offset)).toISOString().slice(11, 16)
    return `${local}${offset < 0 ? '-' : '+'}${clock}`
  }

  /** The next Monday at nine after an instant. */
  mondayMorningAfter(instant: number): number {
    const local = instant + this.offsetAt(instant)
    const today = Math.floor(local / day) * day
    const daysToMonday = (8 - new Date(today).getUTCDay()) % 7
    for (let nine = today + daysToMonday * day + 9 * 60 * minute; ; nine += 7 * day) {
      const monday = nine - this.offsetAt(nine - this.offsetAt(nine))
      if (monday > instant) return monday
    }
  }
}

/** The time zone that a request names. Throws 422 when there is none of this name. */
export function readTimeZone(name: string, loc: string[]): TimeZone {
  try {
    return new TimeZone(name)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw valueError(loc, 'is no time zone of the IANA database')
  }
}

/** The start that a request names, to the second. Throws 422 where a year around it has no date. */
export function readStart(start_at: string, loc: string[]): number {
  const start = new Date(start_at)
  const year = start.getUTCFullYear()
  if (year < 2000 || year > 2999) throw valueError(loc, 'should be in the years from 2000 to 2999')
  return start.setUTCMilliseconds(0)
}
