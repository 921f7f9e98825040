import { filterValues } from './data/event-kinds.js'
import { type EventSample, selectEventSample } from './event-samples.js'
import type { Setting } from './setting.js'

type Kind = keyof typeof filterValues
export type Query = Record<string, string>
/** Of each filter the values that are asked for. */
type Values = Record<string, readonly string[]>

const kinds: Kind[] = ['category', 'event_type', 'status']

const together: Kind[][] = [
  ['category', 'event_type'],
  ['category', 'status'],
  ['event_type', 'status'],
  ['category', 'event_type', 'status'],
]

/** From how far back events are looked for: lately, and in the older half of a history. */
const backs = [0.001, 0.25]

/** What is asked for under one heading. */
export interface Family {
  what: string
  queries: Query[]
}

/** Every combination of values, those that no event has included. */
function combinations(values: Values, [first, ...rest]: string[]): Query[] {
  if (!first) return [{}]
  const others = combinations(values, rest)
  return (values[first] ?? []).flatMap((value) =>
    others.map((query) => ({ [first]: value, ...query })),
  )
}

/** What events are about and when they were, from one lately and one long ago. */
async function sampleValues({ options, database, tenants }: Setting): Promise<Values> {
  const samples: EventSample[] = []
  for (const back of backs) {
    const events = Math.floor(back * options.events)
    samples.push(await selectEventSample(database.client, tenants.auditMost, events))
  }
  const of = (column: keyof EventSample) =>
    samples.map((sample) => {
      const value = sample[column]
      return typeof value === 'string' ? value : value.toISOString()
    })
  return {
    actor_id: [...of('actor_id'), 'nobody'],
    request_id: of('request_id'),
    case_id: of('case_id'),
    conversation_id: of('conversation_id'),
    channel_id: of('channel_id'),
    thread_id: of('thread_id'),
    since: of('created_at'),
    until: of('created_at'),
  }
}

/** Every filter by itself, the kinds of events together, and the others with any one before them. */
export async function familiesOf(setting: Setting): Promise<Family[]> {
  const others = await sampleValues(setting)
  const values: Values = { ...filterValues, ...others }
  const names = Object.keys(values)
  const ofKinds = together.map((filters) => ({
    what: filters.join(' + '),
    queries: combinations(values, filters),
  }))
  const alone = names.map((name) => ({ what: name, queries: combinations(values, [name]) }))
  const ofOthers = Object.keys(others).map((name) => {
    const before = names.slice(0, names.indexOf(name))
    return { what: `${name} + any before it`, queries: before.flatMap(pairsWith(values, name)) }
  })
  return [...alone, ...ofKinds, ...ofOthers]
}

/** A page has to begin before it ends. */
const pairsWith = (values: Values, name: string) => (other: string) =>
  combinations(values, [other, name]).filter(({ since = '', until }) => !until || since <= until)

/** What a query asks for, short enough for a table. */
export function nameOf(query: Query): string {
  const isKind = (name: string) => kinds.includes(name as Kind)
  return Object.entries(query)
    .map(([name, value]) => (isKind(name) ? value : `${name} ${value.slice(-24)}`))
    .join(' + ')
}
