import {
  EVENT_ALIAS,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  getScalarValue,
  parseEvents,
} from 'js-yaml'

type Path = readonly (string | number)[]

/**
 * The line in which the value at a path stands, or the nearest one around it that is there. Read
 * only once there is something to complain of: values alone are read three times as fast.
 */
export function lineOf(source: string, path: Path): number {
  const events = parseEvents(source, {})
  let [next, offset] = [1, 0]
  for (const step of path) {
    const found = childOf(source, events, next, String(step))
    if (!found) break
    next = found.value
    offset = startOf(events[found.named]) ?? offset
  }
  return source.slice(0, offset).split('\n').length
}

/** Where a child of the collection that opens at `index` begins, and where it is named. */
function childOf(source: string, events: Event[], index: number, step: string) {
  const parent = events[index]?.type
  let at = index + 1
  for (let i = 0; at < events.length && events[at]?.type !== EVENT_POP; i += 1) {
    if (parent === EVENT_SEQUENCE) {
      if (String(i) === step) return { named: at, value: at }
      at = endOf(events, at)
    } else if (parent === EVENT_MAPPING) {
      const key = events[at]
      const value = endOf(events, at)
      const isNamed = key?.type === EVENT_SCALAR && getScalarValue(source, key) === step
      if (isNamed) return { named: at, value }
      at = endOf(events, value)
    } else return undefined
  }
  return undefined
}

/** The event after the node that begins at `index`. */
function endOf(events: Event[], index: number): number {
  let depth = 0
  for (let at = index; at < events.length; at += 1) {
    const type = events[at]?.type
    if (type === EVENT_MAPPING || type === EVENT_SEQUENCE) depth += 1
    if (type === EVENT_POP) depth -= 1
    if (depth === 0) return at + 1
  }
  return events.length
}

function startOf(event: Event | undefined): number | undefined {
  if (event?.type === EVENT_SCALAR) return event.valueStart
  if (event?.type === EVENT_ALIAS) return event.anchorStart
  return event?.type === EVENT_MAPPING || event?.type === EVENT_SEQUENCE ? event.start : undefined
}
