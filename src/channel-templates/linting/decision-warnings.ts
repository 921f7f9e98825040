import type { Schema } from '../../contract.js'
import type { Fault } from '../../faults.js'
import { isListOf, isObject, isText, lapsed, maxOptions } from '../prepared-metadata.js'
import { misspeltKeys, noEffect } from './misspelt-keys.js'

const conditionKeys = ['beat', 'options'] satisfies (keyof Schema<'DecisionCondition'>)[]
const optionKeys = ['option', 'label', 'cost'] satisfies (keyof Schema<'DecisionOption'>)[]
const decisionKeys = [
  'question',
  'options',
  'decided_by',
  'fallback_option',
] satisfies (keyof Schema<'PreparedDecision'>)[]

/** Warns of the parts of `only_if` or `unless` for which the engine cannot use it. */
export function* conditionWarnings(value: unknown, loc: string[]): Generator<Fault> {
  if (value === undefined || value === null) return
  if (!Array.isArray(value)) {
    yield* warningsOfCondition(value, loc)
    return
  }
  if (value.length === 0) yield noEffect(loc, 'a beat and its options')
  for (const [i, one] of value.entries()) yield* warningsOfCondition(one, [...loc, String(i)])
}

function* warningsOfCondition(condition: unknown, loc: string[]): Generator<Fault> {
  if (!isObject(condition)) {
    yield noEffect(loc, 'a beat and its options')
    return
  }
  yield* misspeltKeys(condition, conditionKeys, loc)
  const { beat, options } = condition
  if (!isText(beat)) yield noEffect([...loc, 'beat'], 'the beat of a decision')
  if (!Array.isArray(options) || options.length === 0) {
    yield noEffect([...loc, 'options'], 'a list of options')
    return
  }
  for (const [i, option] of options.entries()) {
    if (!isText(option)) yield noEffect([...loc, 'options', String(i)], 'the key of an option')
  }
}

/** Warns of the parts of a decision for which the message does not ask for it. */
export function* decisionWarnings(
  { beat, expectation }: Record<string, unknown>,
  loc: string[],
  isReply: boolean,
): Generator<Fault> {
  const decision = isObject(expectation) ? expectation.decision : null
  if (decision === undefined || decision === null) return
  if (!isObject(decision)) yield noEffect(loc, 'a question with its options')
  else if (isReply) yield noEffect(loc, 'on a message: a reply does not ask for a decision')
  else if (!isText(beat)) yield noEffect(loc, 'on a message with a beat, which is its key')
  if (isObject(decision)) yield* warningsOfParts(decision, loc)
}

function* warningsOfParts(decision: Record<string, unknown>, loc: string[]): Generator<Fault> {
  yield* misspeltKeys(decision, decisionKeys, loc)
  const { question, options, decided_by = [], fallback_option } = decision
  if (!isText(question)) yield noEffect([...loc, 'question'], 'a text')
  if (!isListOf(decided_by, isText)) yield noEffect([...loc, 'decided_by'], 'a list of role keys')
  const list = Array.isArray(options) ? options : []
  if (list.length < 2 || list.length > maxOptions) {
    yield noEffect([...loc, 'options'], `2 to ${maxOptions} options`)
  }
  yield* warningsOfOptions(list, [...loc, 'options'])
  if (list.some((one) => isObject(one) && isText(one.option) && one.option === fallback_option)) {
    return
  }
  yield noEffect([...loc, 'fallback_option'], 'the key of one of the options')
}

function* warningsOfOptions(options: unknown[], loc: string[]): Generator<Fault> {
  const known = new Set<unknown>()
  for (const [i, one] of options.entries()) {
    const at = [...loc, String(i)]
    if (!isObject(one)) {
      yield noEffect(at, 'an option')
      continue
    }
    yield* misspeltKeys(one, optionKeys, at)
    const missing = optionKeys.filter((key) => !isText(one[key]))
    for (const key of missing) yield noEffect([...at, key], 'a text')
    const { option } = one
    if (option === lapsed) yield noEffect([...at, 'option'], 'another key: lapsed means no choice')
    if (known.has(option)) yield noEffect([...at, 'option'], 'another key than those above')
    known.add(option)
  }
}
