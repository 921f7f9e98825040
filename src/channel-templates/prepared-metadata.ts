import type { Schema } from '../contract.js'
import { numberOf } from './messages.js'

/** The keys that a schema names. All other keys are free. */
type NamedKey<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] }

/** The contract's limit: a year. */
const maxMinutes = 525_600

/** The keys that the engine reads. `read` returns null for a value that it cannot use. */
export const keys = {
  kind: { read: textOf, expected: 'a text' },
  beat: { read: textOf, expected: 'a text' },
  arm: { read: armOf, expected: 'control or intervention' },
  drill_minute: { read: minuteOf, expected: 'a number of minutes, at most a year' },
  fallback_for: { read: textOf, expected: 'a text' },
  expectation: { read: expectationOf, expected: 'a number of minutes above 0' },
  artefact: { read: artefactOf, expected: 'a title and a text' },
  only_if: { read: conditionsOf, expected: 'a beat and its options' },
  unless: { read: conditionsOf, expected: 'a beat and its options' },
} satisfies Record<
  NamedKey<Schema<'PreparedMetadata'>>,
  { read: (value: unknown) => unknown; expected: string }
>

export const expectationKeys = [
  'act',
  'deadline_minutes',
  'options',
  'decision',
] satisfies NamedKey<Schema<'MessageExpectation'>>[]

export type Condition = Schema<'DecisionCondition'>

/** A decision that a message asks for. Its key is the beat of the message. */
export type Decision = Required<Schema<'PreparedDecision'>> & { beat: string }

/** Reads the metadata of a prepared message. Null: the key is left out, or has no usable value. */
export function parseMetadata(metadata: Record<string, unknown>) {
  return {
    kind: keys.kind.read(metadata.kind),
    beat: keys.beat.read(metadata.beat),
    arm: keys.arm.read(metadata.arm),
    drill_minute: keys.drill_minute.read(metadata.drill_minute),
    fallback_for: keys.fallback_for.read(metadata.fallback_for),
    expectation: keys.expectation.read(metadata.expectation),
    artefact: keys.artefact.read(metadata.artefact),
    decision: decisionOf(metadata),
    only_if: keys.only_if.read(metadata.only_if),
    unless: keys.unless.read(metadata.unless),
  }
}

function textOf(value: unknown) {
  return typeof value === 'string' ? value : null
}

function armOf(value: unknown) {
  return value === 'control' || value === 'intervention' ? value : null
}

function minuteOf(value: unknown) {
  return numberOf(value, -maxMinutes, maxMinutes)
}

function expectationOf(value: unknown): Schema<'Expectation'> | null {
  if (!isObject(value)) return null
  const { act, deadline_minutes, options } = value
  const minutes = numberOf(deadline_minutes, 0, maxMinutes)
  // Without a deadline the engine would wait for ever.
  if (!minutes) return null
  const isList = Array.isArray(options) && options.every((one) => typeof one === 'string')
  const list = isList ? options : []
  return { act: textOf(act) ?? 'answer', deadline_minutes: minutes, options: list, decision: null }
}

function artefactOf(value: unknown): Schema<'Artefact'> | null {
  if (!isObject(value) || !isText(value.title) || !isText(value.text)) return null
  return { title: value.title, text: value.text }
}

/** The decision that a message asks for. Null also where one of its parts is missing or wrong. */
function decisionOf({ beat, expectation }: Record<string, unknown>): Decision | null {
  if (typeof beat !== 'string' || beat === '') return null
  if (!isObject(expectation) || !expectationOf(expectation) || !isObject(expectation.decision)) {
    return null
  }
  const { question, options, decided_by = [], fallback_option } = expectation.decision
  if (!isText(question) || !isText(fallback_option) || !isListOf(options, isOption)) return null
  const names = options.map(({ option }) => option)
  const isChoice = names.length >= 2 && names.length <= maxOptions
  if (!isChoice || new Set(names).size < names.length || !names.includes(fallback_option)) {
    return null
  }
  if (names.includes(lapsed) || !isListOf(decided_by, isText)) return null
  const shown = options.map(({ option, label, cost }) => ({ option, label, cost }))
  return { beat, question, options: shown, decided_by, fallback_option }
}

export const maxOptions = 3

/** In a path, the word for a decision that participants do not make. No option may have it as its key. */
export const lapsed = 'lapsed'

function conditionsOf(value: unknown): Condition[] | null {
  const list = Array.isArray(value) ? value : [value]
  return list.length > 0 && isListOf(list, isCondition) ? list : null
}

const isCondition = (value: unknown): value is Condition =>
  isObject(value) &&
  isText(value.beat) &&
  isListOf(value.options, isText) &&
  value.options.length > 0

const isOption = (value: unknown): value is Schema<'DecisionOption'> =>
  isObject(value) && isText(value.option) && isText(value.label) && isText(value.cost)

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const isListOf = <Item>(
  value: unknown,
  isItem: (one: unknown) => one is Item,
): value is Item[] => Array.isArray(value) && value.every(isItem)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
