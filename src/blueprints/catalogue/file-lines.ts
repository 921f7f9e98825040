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

/** The line of the value at a path, or of the nearest value around it that exists. */
export function lineOf(source: string, path: readonly (string | number)[]): number {
  const events = parseEvents(source, {})
  // The first event opens the document.
  let node = 1
  let offset = 0
  for (const step of path) {
    const child = childOf(source, events, node, String(step))
    if (!child) break
    // An empty item has no offset.
    offset = Math.max(offset, startOf(events[child.start]))
    node = child.value
  }
  return source.slice(0, offset).split('\n').length
}

/**
 * Finds a child by its key or number. Returns two indexes of events: `start`, where the child begins (its key
 * in a mapping), and `value`.
 */
function childOf(source: string, events: Event[], parent: number, step: string) {
  const type = events[parent]?.type
  if (type !== EVENT_MAPPING && type !== EVENT_SEQUENCE) return undefined
  let start = parent + 1
  for (let index = 0; start < events.length && events[start]?.type !== EVENT_POP; index++) {
    const value = type === EVENT_MAPPING ? endOf(events, start) : start
    const key = events[start]
    const name =
      type === EVENT_MAPPING && key?.type === EVENT_SCALAR ? getScalarValue(source, key) : index
    if (String(name) === step) return { start, value }
    start = endOf(events, value)
  }
  return undefined
}

/** The index of the event after a node. */
function endOf(events: Event[], node: number): number {
  let depth = 0
  let at = node
  do {
    const type = events[at]?.type
    if (type === EVENT_MAPPING || type === EVENT_SEQUENCE) depth++
    if (type === EVENT_POP) depth--
    at++
  } while (depth > 0 && at < events.length)
  return at
}

function startOf(event: Event | undefined): number {
  switch (event?.type) {
    case EVENT_MAPPING:
    case EVENT_SEQUENCE:
      return event.start
    case EVENT_SCALAR:
      return event.valueStart
    case EVENT_ALIAS:
      return event.anchorStart
    default:
      return -1
  }
}
