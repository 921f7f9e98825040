import type { FileFault } from './line-faults.js'

/**
 * Finds faults in the texts of a file: characters that a database cannot store, unknown placeholders,
 * and speakers who name themselves. Only texts under `filledKeys` may have placeholders.
 */
export function wordFaults(
  data: object,
  known: readonly string[],
  filledKeys: string[],
): FileFault[] {
  return Object.entries(data).flatMap(([key, value]) =>
    textFaults(value, filledKeys.includes(key) ? known : [], [key]),
  )
}

function textFaults(
  data: unknown,
  known: readonly string[],
  path: FileFault['path'],
  speaker?: string,
): FileFault[] {
  if (typeof data === 'string')
    return faultsInText(data, known, speaker).map((message) => ({ path, message }))
  if (typeof data !== 'object' || data === null) return []
  const { from } = data as { from?: string }
  return Object.entries(data).flatMap(([key, value]) => {
    const inner = key === 'replies' || key === 'otherwise' ? undefined : (from ?? speaker)
    return textFaults(value, known, [...path, key], inner)
  })
}

function faultsInText(text: string, known: readonly string[], speaker?: string): string[] {
  if (text.includes('\0') || !text.isWellFormed()) return ['a character in it cannot be stored']
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const rest = text.replace(/\{\w+\}/g, '')
  return [
    ...names.filter((name) => !known.includes(name)).map((name) => `unknown placeholder {${name}}`),
    ...names.filter((name) => name === speaker).map(() => `${speaker} speaks of themselves`),
    ...(/[{}]/.test(rest) ? ['a brace in it belongs to no placeholder'] : []),
  ]
}
