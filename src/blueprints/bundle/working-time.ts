/** Minutes from the start of the session, which is a Monday at 09:00 unless said otherwise. */
export type Moment = number

const [hour, day, week] = [60, 24 * 60, 7 * 24 * 60]
const opening = 9 * hour
const workday = 8 * hour
const workdays = 5

const timeOfDay = (moment: Moment): number => (((moment + opening) % day) + day) % day
const daysSinceMonday = (moment: Moment): number =>
  ((Math.floor((moment + opening) / day) % 7) + 7) % 7

/** Working hours after a moment: eight a day from 09:00, none at a weekend. Negative ones go back. */
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

/** When somebody works: `09:00-17:30`, or over midnight `22:00-06:00`. */
export type WorkingHours = { from: number; to: number }

export function workingHoursOf(text: string): WorkingHours {
  const [from = 0, to = 0] = text.split('-').map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    return hours * hour + minutes
  })
  return { from, to }
}

/** Whether somebody works then; a night belongs to the day on which it began. */
export function isAtWork(moment: Moment, { from, to }: WorkingHours): boolean {
  const time = timeOfDay(moment)
  const early = from > to && time < to
  const inHours = from < to ? time >= from && time < to : early || time >= from
  return inHours && daysSinceMonday(early ? moment - day : moment) < workdays && !isWeekend(moment)
}

export const isWeekend = (moment: Moment): boolean => daysSinceMonday(moment) >= workdays

/** Whether somebody works at a whole hour at least: messages are posted at no other time. */
export const hasWholeHour = ({ from, to }: WorkingHours): boolean =>
  from > to || Math.ceil(from / hour) * hour < to

/** The first moment from this one on at which somebody works, in steps of so many minutes. */
export function nextAtWork(moment: Moment, hours: WorkingHours, step: number): Moment {
  let next = moment
  while (!isAtWork(next, hours)) next += step
  return next
}

/** The hour in which a moment lies. */
export const hourOf = (moment: Moment): Moment => Math.floor(moment / hour) * hour

/** The next whole hour, for it is hours that messages are posted at. */
export const hourAfter = (moment: Moment): Moment => hourOf(moment) + hour
