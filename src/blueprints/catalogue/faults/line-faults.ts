import {
  type Catalogue,
  type Line,
  listOf,
  type ModelField,
  type Reply,
  type Scenario,
  type When,
  type Words,
} from '../entries.js'

type Path = (string | number)[]
export interface FileFault {
  path: Path
  message: string
}
/** A line with its path in the file. */
export interface LocatedLine {
  line: Line
  path: Path
}

export const fault = (path: Path, message: string): FileFault[] => [{ path, message }]

export const locatedLines = (list: string, lines: Line[]): LocatedLine[] =>
  lines.map((line, i) => ({ line, path: [list, i] }))

export const valuesOf = ({ models }: Catalogue, field: ModelField): string[] =>
  models[field].map(({ value }) => value)

/** The names that a line may use. */
export type KnownNames = Record<'ids' | 'channels' | 'speakers', ReadonlySet<string>>

export function lineFaults(
  catalogue: Catalogue,
  { line, path }: LocatedLine,
  known: KnownNames,
  scenario?: Scenario,
) {
  const { from, channel, after, hours, kind, otherwise = [], replies = [] } = line
  const posts = [
    { from, text: line.text, when: line.when, path },
    ...otherwise.map((one, i) => ({ ...one, when: undefined, path: [...path, 'otherwise', i] })),
    ...replies.map((one, i) => ({ ...one, path: [...path, 'replies', i] })),
  ]
  return [
    ...listOf(after).flatMap((id) =>
      known.ids.has(id) ? [] : fault([...path, 'after'], `there is no line ${id}`),
    ),
    ...(known.channels.has(channel)
      ? []
      : fault([...path, 'channel'], `there is no channel ${channel}`)),
    ...(hours < 0 && kind !== 'history'
      ? fault([...path, 'hours'], 'only history comes before its cause')
      : []),
    ...(hours >= 0 && kind === 'history' && after === 'start'
      ? fault([...path, 'hours'], 'history lies before the start: its hours are negative')
      : []),
    ...posts.flatMap((one) => [
      ...(known.speakers.has(one.from)
        ? []
        : fault([...one.path, 'from'], `there is no speaker ${one.from}`)),
      ...valueFaults(catalogue, one.text, [...one.path, 'text'], scenario),
      ...whenFaults(catalogue, one.when, [...one.path, 'when']),
    ]),
    ...replyFaults(replies, [...path, 'replies']),
  ]
}

/** Finds replies that are not in order of time, or that come after an unknown reply. */
function replyFaults(replies: Reply[], path: Path): FileFault[] {
  return replies.flatMap((reply, i) => {
    const earlier = replies.slice(0, i)
    const isOrdered = reply.minutes > (earlier.at(-1)?.minutes ?? 0)
    const isKnown = !reply.after || earlier.some(({ id }) => id === reply.after)
    return [
      ...(isOrdered ? [] : fault([...path, i], 'it comes before the one above it')),
      ...(isKnown ? [] : fault([...path, i, 'after'], `no earlier reply here is ${reply.after}`)),
    ]
  })
}

/** Checks texts by a model's value: the values must exist, and the scenario's own must have a text. */
function valueFaults(catalogue: Catalogue, words: Words, path: Path, scenario?: Scenario) {
  if (typeof words === 'string' || 'arm' in words) return []
  return Object.entries(words).flatMap(([name, texts]) => {
    const field = name as ModelField
    const preset = scenario?.models[field]
    return [
      ...unknownValues(catalogue, field, Object.keys(texts), [...path, field]),
      ...(preset !== undefined && !(preset in texts)
        ? fault([...path, field], `it lacks a text for ${preset}, the scenario's own value`)
        : []),
    ]
  })
}

const whenFaults = (catalogue: Catalogue, when: When | undefined, path: Path) =>
  Object.entries(when ?? {}).flatMap(([field, values]) =>
    unknownValues(catalogue, field as ModelField, values, [...path, field]),
  )

const unknownValues = (catalogue: Catalogue, field: ModelField, values: string[], path: Path) =>
  values
    .filter((value) => !valuesOf(catalogue, field).includes(value))
    .flatMap((value) => fault(path, `${value} is no ${field}`))
