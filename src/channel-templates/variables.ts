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

/** A text with its variables replaced, once: a name with braces in it is only a name. */
export function render(text: string, values: Values): string {
  return text.replace(variable, (whole, inside: string) => {
    const name = inside.trim()
    return isName(name) ? values[name] : whole
  })
}
