const names = [
  'user.first_name',
  'user.full_name',
  'organization.company_name',
  'scenario.name',
] as const
type Name = (typeof names)[number]

/** What the variables in a text stand for. */
export type Values = Record<Name, string>

export const knownVariables: string = names.map((name) => `{{${name}}}`).join(', ')

/** Without braces inside, so that a text of nothing but braces is not searched again and again. */
const variable = /\{\{([^{}]*)\}\}/g

const isName = (text: string): text is Name => names.some((name) => name === text)

export function hasUnknownVariable(text: string): boolean {
  return [...text.matchAll(variable)].some(([, inside = '']) => !isName(inside.trim()))
}

/** Whether two braces are left where the variables are taken away: one was begun or ended only. */
export function hasOpenVariable(text: string): boolean {
  return /\{\{|\}\}/.test(text.replace(variable, ''))
}

/** How many characters a text has at most, with its names as without. */
const longestText = 10_000

/** What is told of a text that is longer with its names. */
const cutMessage = 'With its names it is longer than 10,000 characters: the end is cut'

export interface Rendered {
  content: string
  isCut: boolean
}

/**
 * A text with its variables replaced, once: a name with braces in it is only a name. Replacing stops
 * when the text is too long, so that a short text with many long names costs no more than another.
 */
export function render(text: string, values: Values): Rendered {
  // A character is one or two units of a string's length.
  const enough = 2 * longestText
  let rendered = ''
  let end = 0
  for (const found of text.matchAll(variable)) {
    if (rendered.length > enough) break
    const [whole, inside = ''] = found
    const name = inside.trim()
    rendered += text.slice(end, found.index) + (isName(name) ? values[name] : whole)
    end = found.index + whole.length
  }
  if (rendered.length <= enough) rendered += text.slice(end)
  const content = cut(rendered, longestText)
  return { content, isCut: content !== rendered }
}

/** A text of so many characters at most, with a sign where something was cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text.slice(0, 2 * most + 2))
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

/** How many warnings an answer holds: more than people read. */
export const mostWarnings = 1_000

/** Tells that a text of a channel is cut. */
export const cutWarning = (channel_name: string, content: string) => {
  return { field: channel_name, value: startOf(content), message: cutMessage }
}

/** How a text begins, by which people find it again. */
export const startOf = (text: string) => Array.from(text.slice(0, 160)).slice(0, 80).join('')

/** How many people a text names. */
const mostNamed = 3

/** Several names as one text: more than three are summed up. */
export function listed(names: string[]): string {
  if (names.length === 0) return 'everyone'
  const others = names.length - mostNamed
  if (others <= 0) return new Intl.ListFormat('en').format(names)
  const named = names.slice(0, mostNamed).join(', ')
  return `${named} and ${others} ${others === 1 ? 'other' : 'others'}`
}
