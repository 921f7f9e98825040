import { Ajv2020 } from 'ajv/dist/2020.js'
import { describeFaults } from '../../../src/http/validation/faults.js'
import {
  refused,
  validBoolean,
  validDictionary,
  validInteger,
  validList,
  validString,
} from '../../helpers/faults.js'
import { t } from '../../helpers/file.js'
import { type Answer, startService } from '../../helpers/service.js'

const { call, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const params = { organization_id }
const setup = await call('applyQuickSetup', { token, body: { team_size: 1 } })
const experiment = { token, params: { experiment_id: setup.body.experiment_id } }

const branding = (body: unknown) => call('updateBranding', { token, params, body })
const quickSetup = (body: unknown) => call('applyQuickSetup', { token, body })
const register = (body: unknown) => call('register', { body })
const invite = (body: unknown) => call('inviteMember', { token, params, body })
const update = (body: unknown) => call('updateExperiment', { ...experiment, body })

const person = { first_name: 'A', last_name: 'B', email: 'a@b' }
const account = { ...person, password: 'long enough', organization_name: 'C' }

t.test('A fault in a body has the documented message for', async (t) => {
  const rows: [title: string, answer: Answer, place: string, type: string, msg: string][] = [
    [
      'a missing field',
      await invite({ ...person, email: undefined }),
      'body email',
      'missing',
      'Field required',
    ],
    [
      'a text',
      await branding({ company_name: 7 }),
      'body company_name',
      'string_type',
      validString,
    ],
    [
      'a text with known values',
      await quickSetup({ org_culture: 7 }),
      'body org_culture',
      'string_type',
      validString,
    ],
    [
      'a boolean',
      await quickSetup({ overwrite_existing: 'true' }),
      'body overwrite_existing',
      'bool_type',
      validBoolean,
    ],
    [
      'a list',
      await branding({ departments: 'People' }),
      'body departments',
      'list_type',
      validList,
    ],
    [
      'an item of a list',
      await update({ control_session_ids: ['a', 5] }),
      'body control_session_ids 1',
      'string_type',
      validString,
    ],
    [
      'an object',
      await quickSetup({ metadata: [] }),
      'body metadata',
      'dict_type',
      validDictionary,
    ],
    [
      'an object in a list',
      await register({ ...account, education: ['MSc'] }),
      'body education 0',
      'dict_type',
      validDictionary,
    ],
    [
      'an integer',
      await quickSetup({ team_size: '5' }),
      'body team_size',
      'int_type',
      validInteger,
    ],
    [
      'a whole number',
      await quickSetup({ team_size: 5.5 }),
      'body team_size',
      'int_from_float',
      `${validInteger}, got a number with a fractional part`,
    ],
    [
      'the shortest text of one character',
      await invite({ ...person, first_name: '' }),
      'body first_name',
      'string_too_short',
      'String should have at least 1 character',
    ],
    [
      'the shortest text',
      await register({ ...account, password: 'short' }),
      'body password',
      'string_too_short',
      'String should have at least 8 characters',
    ],
    [
      'the longest text',
      await branding({ company_name: 'x'.repeat(201) }),
      'body company_name',
      'string_too_long',
      'String should have at most 200 characters',
    ],
    [
      'the least number',
      await quickSetup({ team_size: 0 }),
      'body team_size',
      'greater_than_equal',
      'Input should be greater than or equal to 1',
    ],
    [
      'the greatest number',
      await quickSetup({ team_size: 51 }),
      'body team_size',
      'less_than_equal',
      'Input should be less than or equal to 50',
    ],
    [
      'a pattern',
      await register({ ...account, organization_name: ' ' }),
      'body organization_name',
      'string_pattern_mismatch',
      "String should match pattern '\\S'",
    ],
    [
      'a date and time',
      await update({ start_at: '2026-12-01' }),
      'body start_at',
      'datetime_parsing',
      'Input should be a valid datetime with an offset or Z',
    ],
    [
      'a web address',
      await branding({ logo_url: 'ftp://a.example' }),
      'body logo_url',
      'url_parsing',
      'Input should be a valid http or https URL',
    ],
    [
      'an e-mail address',
      await invite({ ...person, email: 'nobody' }),
      'body email',
      'value_error',
      'value is not a valid email address',
    ],
    [
      'the longest list',
      await register({ ...account, hobbies: Array(51).fill('x') }),
      'body hobbies',
      'too_long',
      'List should have at most 50 items',
    ],
    [
      'the largest metadata',
      await quickSetup({ metadata: { a: 'x'.repeat(16_377) } }),
      'body metadata',
      'too_large',
      'Value error, should be at most 16384 bytes as JSON',
    ],
    [
      'the deepest metadata',
      await quickSetup({ metadata: nest(9) }),
      'body metadata',
      'too_deep',
      'Value error, should be nested at most 8 levels deep',
    ],
    [
      'a rule across fields',
      await update({ start_at: '2026-12-02T09:00:00Z', end_at: '2026-12-01T09:00:00Z' }),
      'body end_at',
      'end_before_start',
      'Value error, end_at must be after start_at',
    ],
  ]
  for (const [title, answer, ...fault] of rows) {
    t.test(title, async (t) => refused(t, answer, fault))
  }

  t.test('a rule that no operation of the contract uses', async (t) => {
    const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
    const faultsOf = (schema: object, value: unknown) => {
      const validate = ajv.compile(schema)
      validate(value)
      return describeFaults('body', validate.errors ?? [])
    }
    const within = (schema: object) => ({ type: 'object', properties: { a: schema } })
    t.match(faultsOf(within({ enum: ['x', 'y'] }), { a: 'z' }), [
      { loc: ['body', 'a'], msg: 'Input should be x, y', type: 'literal_error' },
    ])
    t.strictSame(faultsOf(within({ enum: ['x', null] }), { a: 7 }), [
      { loc: ['body', 'a'], msg: 'Input should be x', type: 'literal_error' },
    ])
    t.strictSame(faultsOf(within({ anyOf: [{ minLength: 2 }, { maxLength: 0 }] }), { a: 'z' }), [
      {
        loc: ['body', 'a'],
        msg: 'String should have at least 2 characters',
        type: 'string_too_short',
      },
    ])
    t.match(faultsOf(within({ type: 'array', minItems: 1 }), { a: [] }), [
      { loc: ['body', 'a'], msg: 'List should have at least 1 item', type: 'too_short' },
    ])
    t.match(faultsOf(within({ type: 'number' }), { a: 'z' }), [
      { loc: ['body', 'a'], msg: 'Input should be a valid number', type: 'float_type' },
    ])
  })
})

/** An object with this number of levels. */
function nest(levels: number): object {
  return levels === 1 ? {} : { a: nest(levels - 1) }
}
