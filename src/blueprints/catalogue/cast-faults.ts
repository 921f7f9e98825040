import { hasWholeHour, workingHoursOf } from '../bundle/working-time.js'
import { type Catalogue, type Scenario, slots } from './entries.js'
import { type Found, fault } from './line-faults.js'

/** People out of place, of one name, or who could never post. */
export function castFaults({ colleagues }: Catalogue, { cast }: Scenario): Found[] {
  const others = colleagues.map(({ key }) => key)
  return cast.flatMap(({ slot, key, working_hours }, i) => [
    ...(slots[i] === slot
      ? []
      : fault(['cast', i], `here belongs the ${slots[i]}, not the ${slot}`)),
    ...(others.includes(key) || cast.slice(0, i).some((other) => other.key === key)
      ? fault(['cast', i, 'key'], `somebody else has the key ${key}`)
      : []),
    ...(hasWholeHour(workingHoursOf(working_hours))
      ? []
      : fault(['cast', i, 'working_hours'], 'no whole hour lies in them, at which one could post')),
  ])
}
