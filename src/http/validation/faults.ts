import type { ErrorObject } from 'ajv'
import { type Fault, type FaultType, maxFaults, notAnObject, type Reason } from '../../faults.js'
import { isTooLarge, tooLarge } from './storable.js'

export type RequestPart = 'body' | 'query'

const expected: Record<string, [type: FaultType, noun: string]> = {
  string: ['string_type', 'string'],
  boolean: ['bool_type', 'boolean'],
  array: ['list_type', 'list'],
  object: ['dict_type', 'dictionary'],
  integer: ['int_type', 'integer'],
  number: ['float_type', 'number'],
}

const parsing: Record<string, Reason> = {
  boolean: ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
  integer: ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
  number: ['float_parsing', 'Input should be a valid number, unable to parse string as a number'],
}

const formatFaults: Record<string, Reason> = {
  'date-time': ['datetime_parsing', 'Input should be a valid datetime with an offset or Z'],
  uri: ['url_parsing', 'Input should be a valid http or https URL'],
  name: [
    'hidden_characters',
    'Value error, a name has no characters that are invisible or change the direction of a text',
  ],
  initials: ['value_error', 'Value error, initials are one or two letters'],
  email: ['value_error', 'value is not a valid email address'],
}

/** Translates Ajv's errors into the contract's faults, whose words are those of Pydantic. */
export function describeFaults(part: RequestPart, errors: ErrorObject[]): Fault[] {
  const kept = errors.filter(isOfFirstForm).slice(0, maxFaults)
  return kept.map((error) => describeFault(part, error))
}

/** For a value with several forms (`anyOf`), only the faults of the first form are kept. */
function isOfFirstForm({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'anyOf' && keyword !== 'if' && !/\/anyOf\/[1-9]/.test(schemaPath)
}

function describeFault(part: RequestPart, error: ErrorObject): Fault {
  const loc = [part, ...error.instancePath.split('/').slice(1).map(unescapePointer)]
  if (error.keyword === 'required' || error.keyword === 'dependentRequired') {
    return { loc: [...loc, error.params.missingProperty], msg: 'Field required', type: 'missing' }
  }
  const [type, msg] = describe(part, error)
  return { loc, msg, type }
}

function describe(part: RequestPart, error: ErrorObject): Reason {
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
      return ['too_large', `Value error, should be at most ${error.schema} bytes as JSON`]
    case 'x-max-depth':
      return ['too_deep', `Value error, should be nested at most ${error.schema} levels deep`]
    case 'uniqueItems':
      return ['duplicate', `Value error, ${error.message}`]
    case 'x-storable':
      return [params.type, `Value error, ${error.message}`]
    default:
      return ['value_error', `Value error, ${error.message}`]
  }
}

function withReason({ params, parentSchema }: ErrorObject): string {
  const reason: unknown = parentSchema?.['x-below-minimum']
  const msg = `Input should be greater than or equal to ${params.limit}`
  return typeof reason === 'string' ? `${msg}: ${reason}` : msg
}

function describeType(part: RequestPart, { instancePath, params, data }: ErrorObject): Reason {
  if (part === 'body' && instancePath === '') return notAnObject
  const wanted = [params.type].flat().find((name) => name !== 'null') ?? 'null'
  if (part !== 'body' && parsing[wanted] && typeof data === 'string') return parsing[wanted]
  if (isTooLarge(data)) return ['not_storable', `Value error, ${tooLarge}`]
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
