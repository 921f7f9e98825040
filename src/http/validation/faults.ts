import type { ErrorObject } from 'ajv'
import { type Fault, mostFaults } from '../../errors.js'

export type Part = 'body' | 'query' | 'path'

const expected: Record<string, [type: string, noun: string]> = {
  string: ['string_type', 'string'],
  boolean: ['bool_type', 'boolean'],
  array: ['list_type', 'list'],
  object: ['dict_type', 'dictionary'],
  integer: ['int_type', 'integer'],
  number: ['float_type', 'number'],
}

const parsing: Record<string, [type: string, msg: string]> = {
  boolean: ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
  integer: ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
  number: ['float_parsing', 'Input should be a valid number, unable to parse string as a number'],
}

const formatFaults: Record<string, [type: string, msg: string]> = {
  'date-time': ['datetime_parsing', 'Input should be a valid datetime with an offset or Z'],
  uri: ['url_parsing', 'Input should be a valid http or https URL'],
  name: [
    'value_error',
    'Value error, a name has no characters that are invisible or change the direction of a text',
  ],
  email: ['value_error', 'value is not a valid email address'],
}

/** Ajv's errors in Pydantic's vocabulary, which the contract's error shape comes from. */
export function describeFaults(part: Part, errors: ErrorObject[]): Fault[] {
  const told = errors.filter(isOfFirstForm).slice(0, mostFaults)
  return told.map((error) => describeFault(part, error))
}

/** Of a value that may have several forms, what is wrong with it as the first of them. */
function isOfFirstForm({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'anyOf' && keyword !== 'if' && !/\/anyOf\/[1-9]/.test(schemaPath)
}

function describeFault(part: Part, error: ErrorObject): Fault {
  const loc = [part, ...error.instancePath.split('/').slice(1).map(unescapePointer)]
  if (error.keyword === 'required') {
    return { loc: [...loc, error.params.missingProperty], msg: 'Field required', type: 'missing' }
  }
  const [type, msg] = describe(part, error)
  return { loc, msg, type }
}

function describe(part: Part, error: ErrorObject): [type: string, msg: string] {
  const { keyword, params } = error
  switch (keyword) {
    case 'type':
      return describeType(part, error)
    case 'minLength':
      return ['string_too_short', `String should have at least ${characters(params.limit)}`]
    case 'maxLength':
      return ['string_too_long', `String should have at most ${characters(params.limit)}`]
    case 'minimum':
      return ['greater_than_equal', withReason(error)]
    case 'maximum':
      return ['less_than_equal', `Input should be less than or equal to ${params.limit}`]
    case 'minItems':
      return ['too_short', `List should have at least ${items(params.limit)}`]
    case 'maxItems':
      return ['too_long', `List should have at most ${items(params.limit)}`]
    case 'pattern':
      return ['string_pattern_mismatch', `String should match pattern '${params.pattern}'`]
    case 'enum':
      return ['literal_error', `Input should be ${listed(params.allowedValues)}`]
    case 'format':
      return formatFaults[params.format] ?? ['value_error', 'Value error, wrong format']
    case 'x-max-bytes':
      return ['value_error', `Value error, should be at most ${error.schema} bytes as JSON`]
    case 'x-max-depth':
      return ['value_error', `Value error, should be nested at most ${error.schema} levels deep`]
    default:
      return ['value_error', `Value error, ${error.message}`]
  }
}

function withReason({ params, parentSchema }: ErrorObject): string {
  const reason: unknown = parentSchema?.['x-below-minimum']
  const msg = `Input should be greater than or equal to ${params.limit}`
  return typeof reason === 'string' ? `${msg}: ${reason}` : msg
}

function describeType(part: Part, { instancePath, params, data }: ErrorObject): [string, string] {
  if (part === 'body' && instancePath === '') {
    const msg = 'Input should be a valid dictionary or object to extract fields from'
    return ['model_attributes_type', msg]
  }
  const wanted = [params.type].flat().find((name) => name !== 'null') ?? 'null'
  if (part !== 'body' && parsing[wanted] && typeof data === 'string') return parsing[wanted]
  if (wanted === 'integer' && typeof data === 'number') {
    const msg = 'Input should be a valid integer, got a number with a fractional part'
    return ['int_from_float', msg]
  }
  const [type, noun] = expected[wanted] ?? ['value_error', wanted]
  return [type, `Input should be a valid ${noun}`]
}

const listed = (values: unknown[]) => values.filter((value) => value !== null).join(', ')
const characters = (count: number) => (count === 1 ? '1 character' : `${count} characters`)
const items = (count: number) => (count === 1 ? '1 item' : `${count} items`)

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}
