import type { Ajv, ErrorObject } from 'ajv'
import { limitFaults } from '../../faults.js'
import { isVisibleName } from '../../formats/names.js'
import { isDateTime } from '../../formats/timestamps.js'
import { isEmail } from '../../identity/email.js'
import { findUnstorable, isNestedWithin, isWalkable } from './storable.js'

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text)
}

/** The formats of the contract. */
const formats = {
  'date-time': isDateTime,
  name: isVisibleName,
  initials: /^\p{L}{1,2}$/u,
  email: isEmail,
  password: true,
  uri: isHttpUrl,
  // Only for code generators. The schemas have bounds.
  int32: true,
  int64: true,
} as const

/** PostgreSQL answers without exponents: `1e308` has 309 digits. */
function bytesOf(value: unknown): number {
  const text = JSON.stringify(value)
  return Buffer.byteLength(/\de[+-]\d/.test(text) ? JSON.stringify(value, withoutExponent) : text)
}

const withoutExponent = (_key: string, value: unknown) => {
  if (typeof value !== 'number') return value
  const [digits = '', exponent] = String(value).split('e')
  return exponent === undefined ? value : digits + '0'.repeat(Math.abs(Number(exponent)))
}

interface KeywordValidator {
  (value: unknown, context?: { instancePath: string }): boolean
  /** Ajv reads the errors from here. */
  errors?: Partial<ErrorObject>[]
}

/** Reports each part of a value that cannot be stored. */
const storable: KeywordValidator = (value, { instancePath } = { instancePath: '' }) => {
  const faults = limitFaults(findUnstorable(value), ({ path }) => path)
  storable.errors = faults.map(({ path, type, message }) => ({
    keyword: 'x-storable',
    params: { type },
    instancePath: [instancePath, ...path.map(escapePointer)].join('/'),
    message,
  }))
  return storable.errors.length === 0
}

/**
 * Adds the formats and keywords of the contract to Ajv. `x-max-bytes` limits the bytes of the value as
 * JSON without exponents, `x-max-depth` its levels of objects and arrays. `x-below-minimum` is the message
 * for a number that is too small.
 */
export function addContractVocabulary(ajv: Ajv): Ajv {
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  ajv.addVocabulary(['example', 'x-below-minimum', 'x-items-checked-apart'])
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    schemaType: 'number',
    // A value that is nested too deep gets another fault.
    validate: (max: number, value: unknown) => !isWalkable(value) || bytesOf(value) <= max,
  })
  ajv.addKeyword({ keyword: 'x-max-depth', schemaType: 'number', validate: isNestedWithin })
  // The last keyword: if only the first fault is reported, the size comes first.
  ajv.addKeyword({ keyword: 'x-storable', schema: false, errors: true, validate: storable })
  return ajv
}

const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
