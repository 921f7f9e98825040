/** Minutes from the start of the session. The session starts on a Monday at 09:00. */
export type Moment = number

const [hour, day, week] = [60, 24 * 60, 7 * 24 * 60]
const opening = 9 * hour
const workday = 8 * hour
const workdays = 5

const timeOfDay = (moment: Moment): number => (((moment + opening) % day) + day) % day
const daysSinceMonday = (moment: Moment): number =>
  ((Math.floor((moment + opening) / day) % 7) + 7) % 7

/** Adds working hours to a moment: eight a day from 09:00, none at weekends. Negative hours go back. */
export function workingHoursAfter(moment: Moment, hours: number): Moment {
  const weekday = daysSinceMonday(moment)
  const weeks = Math.floor((moment + opening) / week) * workdays
  const today = Math.min(Math.max(timeOfDay(moment) - opening, 0), workday)
  const worked = weekday < workdays ? weekday * workday + today : workdays * workday
  const total = weeks * workday + worked + Math.round(hours * hour)
  const days = Math.floor(total / workday)
  const [weeksThen, dayThen] = [
    Math.floor(days / workdays),
    ((days % workdays) + workdays) % workdays,
  ]
  return weeksThen * week + dayThen * day + (total - days * workday)
}

/** The hours of a day in which a member works: `09:00-17:30`, or over midnight `22:00-06:00`. */
export type WorkingHours = { from: number; to: number }

export function workingHoursOf(text: string): WorkingHours {
  const [from = 0, to = 0] = text.split('-').map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    return hours * hour + minutes
  })
  return { from, to }
}

/** Whether a member works at a moment. A night shift belongs to the day on which it began. */
export function isAtWork(moment: Moment, { from, to }: WorkingHours): boolean {
  const time = timeOfDay(moment)
  const early = from > to && time < to
  const inHours = from < to ? time >= from && time < to : early || time >= from
  return inHours && daysSinceMonday(early ? moment - day : moment) < workdays && !isWeekend(moment)
}

export const isWeekend = (moment: Moment): boolean => daysSinceMonday(moment) >= workdays

/** Whether the hours contain a whole hour. Messages are posted at whole hours only. */
export const hasWholeHour = ({ from, to }: WorkingHours): boolean =>
  from > to || Math.ceil(from / hour) * hour < to

/** The first moment from this one on at which a member works, in steps of `step` minutes. */
export function nextAtWork(moment: Moment, hours: WorkingHours, step: number): Moment {
  let next = moment
  while (!isAtWork(next, hours)) next += step
  return next
}

/** Rounds a moment down to the whole hour. */
export const hourOf = (moment: Moment): Moment => Math.floor(moment / hour) * hour

/** The next whole hour after a moment. */
export const hourAfter = (moment: Moment): Moment => hourOf(moment) + hour
