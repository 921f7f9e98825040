import { type Catalogue, type Scenario, slots } from '../entries.js'
import { type FileFault, fault } from './line-faults.js'
import { hasWholeHour, workingHoursOf } from './working-time.js'

/** Finds members in the wrong slot, with a key used twice, or with hours in which they cannot post. */
export function castFaults({ colleagues }: Catalogue, { cast }: Scenario): FileFault[] {
  const others = colleagues.map(({ key }) => key)
  return cast.flatMap(({ slot, key, working_hours }, i) => [
    ...(slots[i] === slot
      ? []
      : fault(['cast', i], `this slot should be ${slots[i]}, not ${slot}`)),
    ...(others.includes(key) || cast.slice(0, i).some((other) => other.key === key)
      ? fault(['cast', i, 'key'], `another one has the key ${key}`)
      : []),
    ...(hasWholeHour(workingHoursOf(working_hours))
      ? []
      : fault(['cast', i, 'working_hours'], 'they contain no whole hour to post at')),
  ])
}
