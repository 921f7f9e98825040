import {
  isAtWork,
  nextAtWork,
  workingHoursAfter,
  workingHoursOf,
} from '../../../src/blueprints/catalogue/faults/working-time.js'
import { t } from '../../helpers/file.js'

/** Minutes since Monday 09:00, from the day of the week (Monday is 0) and the time. */
const at = (day: number, time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return day * 1440 + hours * 60 + minutes - 540
}

t.test('Working hours', async (t) => {
  t.test('are eight a day, and none at a weekend', async (t) => {
    t.equal(workingHoursAfter(at(0, '09:00'), 0), at(0, '09:00'))
    t.equal(workingHoursAfter(at(0, '09:00'), 7), at(0, '16:00'))
    t.equal(workingHoursAfter(at(0, '09:00'), 8), at(1, '09:00'))
    t.equal(workingHoursAfter(at(4, '16:00'), 2), at(7, '10:00'))
    t.equal(workingHoursAfter(at(0, '10:30'), 0.5), at(0, '11:00'))
    t.equal(workingHoursAfter(at(0, '20:00'), 1), at(1, '10:00'), 'from an evening')
    t.equal(workingHoursAfter(at(5, '12:00'), 1), at(7, '10:00'), 'from a Saturday')
  })

  t.test('count backwards over weekends, too', async (t) => {
    t.equal(workingHoursAfter(at(0, '09:00'), -1), at(-3, '16:00'))
    t.equal(workingHoursAfter(at(0, '09:00'), -8), at(-3, '09:00'))
    t.equal(workingHoursAfter(at(0, '09:00'), -41), at(-10, '16:00'))
    t.equal(workingHoursAfter(at(-3, '15:00'), 2), at(0, '09:00'))
  })

  t.test('of a person follow the shift, and a night shift belongs to its first day', async (t) => {
    const day = workingHoursOf('08:30-17:00')
    t.notOk(isAtWork(at(1, '08:29'), day))
    t.ok(isAtWork(at(1, '08:30'), day))
    t.notOk(isAtWork(at(1, '17:00'), day))
    t.notOk(isAtWork(at(5, '10:00'), day))
    t.equal(nextAtWork(at(4, '17:00'), day, 60), at(7, '09:00'))
    const night = workingHoursOf('22:00-06:00')
    t.ok(isAtWork(at(0, '23:00'), night))
    t.ok(isAtWork(at(1, '05:59'), night))
    t.notOk(isAtWork(at(0, '03:00'), night), 'on a Sunday')
    t.notOk(isAtWork(at(5, '03:00'), night), 'into a Saturday')
    t.equal(nextAtWork(at(1, '12:00'), night, 60), at(1, '22:00'))
  })
})
