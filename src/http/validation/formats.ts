import type { Ajv, ErrorObject } from 'ajv'
import { tellable } from '../../errors.js'
import { isDateTime } from '../../timestamps.js'
import { isVisibleName } from './names.js'
import { findUnstorable, isNestedWithin, isWalkable } from './storable.js'

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text)
}

/** What the contract means by the formats it names. */
const formats = {
  'date-time': isDateTime,
  name: isVisibleName,
  email: /^\s*[^\s@]+@[^\s@]+\s*$/,
  password: true,
  uri: isHttpUrl,
  // For those who generate code; what is too large or small is said by bounds.
  int32: true,
  int64: true,
} as const

interface KeywordValidator {
  (value: unknown, context?: { instancePath: string }): boolean
  /** Where Ajv finds what was wrong. */
  errors?: Partial<ErrorObject>[]
}

/** Tells each place in a value that could not be stored. */
const storable: KeywordValidator = (value, { instancePath } = { instancePath: '' }) => {
  const faults = tellable(findUnstorable(value), ({ path }) => path)
  storable.errors = faults.map(({ path, message }) => ({
    keyword: 'x-storable',
    instancePath: [instancePath, ...path.map(escapePointer)].join('/'),
    message,
  }))
  return storable.errors.length === 0
}

/**
 * Teaches Ajv the contract's formats and its own keywords. `x-max-bytes` counts the bytes of the
 * value as JSON, `x-max-depth` levels of objects and arrays; `x-below-minimum` says what is wrong
 * with a number that is too small.
 */
export function addContractVocabulary(ajv: Ajv): Ajv {
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  ajv.addVocabulary(['example', 'x-below-minimum', 'x-items-checked-apart', 'x-items-in-slices'])
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    schemaType: 'number',
    // What is nested too deep to be walked is refused for that.
    validate: (most: number, value: unknown) =>
      !isWalkable(value) || Buffer.byteLength(JSON.stringify(value)) <= most,
  })
  ajv.addKeyword({ keyword: 'x-max-depth', schemaType: 'number', validate: isNestedWithin })
  // The last one, so that what is too large has been refused where one fault is enough.
  ajv.addKeyword({ keyword: 'x-storable', schema: false, errors: true, validate: storable })
  return ajv
}

const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
