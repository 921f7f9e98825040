import type { Ajv } from 'ajv'

/** RFC 3339 date-time with an offset or Z, in the years that every part of the stack can write. */
const dateTimePattern =
  /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

function isDateTime(text: string): boolean {
  if (!dateTimePattern.test(text) || !isCalendarDay(text.slice(0, 10))) return false
  const year = new Date(text).getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** Date would read february 30 as march 2. */
function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text)
}

/** What the contract means by the formats it names. */
const formats = {
  'date-time': isDateTime,
  email: /^\s*[^\s@]+@[^\s@]+\s*$/,
  password: true,
  uri: isHttpUrl,
  // For those who generate code; what is too large or small is said by bounds.
  int32: true,
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
  ajv.addVocabulary(['example'])
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
