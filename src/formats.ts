import type { Ajv } from 'ajv'
import { isDateTime } from './timestamps.js'

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text)
}

/** What the contract means by the formats it names. */
const formats = {
  'date-time': isDateTime,
  email: /^\s*[^\s@]+@[^\s@]+\s*$/,
  password: true,
  // On updates an empty text clears the field.
  uri: (text: string) => text === '' || isHttpUrl(text),
} as const

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((most: number, item) => Math.max(most, depth(item)), 0)
}

/**
 * Teaches Ajv the contract's formats and its own keywords. `x-max-bytes` counts the bytes of the
 * value as JSON, `x-max-depth` levels of objects and arrays.
 */
export function addContractVocabulary(ajv: Ajv): Ajv {
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  ajv.addVocabulary(['example', 'x-extensible-enum'])
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    schemaType: 'number',
    validate: (most: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= most,
  })
  ajv.addKeyword({
    keyword: 'x-max-depth',
    schemaType: 'number',
    validate: (most: number, value: unknown) => depth(value) <= most,
  })
  return ajv
}
