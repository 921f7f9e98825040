import { beginningOf } from '../../formats/graphemes.js'

const names = [
  'user.first_name',
  'user.full_name',
  'organization.company_name',
  'scenario.name',
] as const
type Name = (typeof names)[number]

/** The values of the variables in a text. */
export type Values = Record<Name, string>

export const knownVariables: string = names.map((name) => `{{${name}}}`).join(', ')

/** Allows no braces inside, so that the search in a text of only braces stays linear. */
const variable = /\{\{([^{}]*)\}\}/g

const isName = (text: string): text is Name => names.some((name) => name === text)

export function hasUnknownVariable(text: string): boolean {
  return [...text.matchAll(variable)].some(([, inside = '']) => !isName(inside.trim()))
}

/** Whether double braces remain beside the variables: one was opened and not closed, or the reverse. */
export function hasOpenVariable(text: string): boolean {
  return /\{\{|\}\}/.test(text.replace(variable, ''))
}

/** The limit of a text in characters, before and after its variables are replaced. */
const maxTextLength = 10_000

const cutMessage = 'With its names it is longer than 10,000 characters: the end is cut'

export interface Rendered {
  content: string
  isCut: boolean
}

/**
 * Replaces the variables of a text once: braces in a name are not replaced again. Stops when the
 * result is too long, so that a short text with many long names does not cost more.
 */
export function render(text: string, values: Values): Rendered {
  // One character counts as one or two in a string's length.
  const maxUnits = 2 * maxTextLength
  let rendered = ''
  let end = 0
  for (const found of text.matchAll(variable)) {
    if (rendered.length > maxUnits) break
    const [whole, inside = ''] = found
    const name = inside.trim()
    rendered += text.slice(end, found.index) + (isName(name) ? values[name] : whole)
    end = found.index + whole.length
  }
  if (rendered.length <= maxUnits) rendered += text.slice(end)
  const content = cut(rendered, maxTextLength)
  return { content, isCut: content !== rendered }
}

/** Cuts a text to at most `max` characters. A cut text ends in an ellipsis. */
export function cut(text: string, max: number): string {
  return beginningOf(text, max) === text ? text : `${beginningOf(text, max - 1)}…`
}

/** The most warnings in one answer. */
export const maxWarnings = 1_000

/** The warning that a text of a channel is cut. */
export const cutWarning = (channel_name: string, content: string) => {
  return { field: channel_name, value: startOf(content), message: cutMessage }
}

/** The beginning of a text, so that people can find it. */
export const startOf = (text: string) => beginningOf(text, 80)

/** The most names in a list; the others are counted. */
const maxNamed = 3

/** Joins names to one text, such as "Ada, Ben, Chen and 97 others". */
export function listed(names: string[]): string {
  if (names.length === 0) return 'everyone'
  const others = names.length - maxNamed
  if (others <= 0) return new Intl.ListFormat('en').format(names)
  const named = names.slice(0, maxNamed).join(', ')
  return `${named} and ${others} ${others === 1 ? 'other' : 'others'}`
}
