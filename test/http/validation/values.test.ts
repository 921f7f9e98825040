import { declaredOnly } from '../../../src/http/validation/declared.js'
import {
  fieldRequired,
  refused,
  unparsableInteger,
  validBoolean,
  validDictionary,
  validInteger,
  validList,
  validString,
} from '../../helpers/faults.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const { call, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const params = { organization_id }
const branding = (body: unknown) => call('updateBranding', { token, params, body })
const quickSetup = (body: unknown) => call('applyQuickSetup', { token, body })
const events = (query: Record<string, string | string[]>) =>
  call('listAuditEvents', { token, params, query })

t.test('All faults are reported together, without their values', async (t) => {
  const body = {
    email: 'MARKER',
    password: 'MARKER',
    organization_name: ['MARKER'],
    phone: { MARKER: 1 },
    skills: ['fine', { MARKER: 1 }],
    education: [{ degree: 4_711_000 }, 'MARKER'],
  }
  const answer = await call('register', { body })
  refused(
    t,
    answer,
    ['body email', 'value_error', 'value is not a valid email address'],
    ['body password', 'string_too_short', 'String should have at least 8 characters'],
    ['body organization_name', 'string_type', validString],
    ['body first_name', 'missing', 'Field required'],
    ['body last_name', 'missing', 'Field required'],
    ['body phone', 'string_type', validString],
    ['body skills 1', 'string_type', validString],
    ['body education 0 degree', 'string_type', validString],
    ['body education 1', 'dict_type', validDictionary],
  )
  t.notMatch(JSON.stringify(answer.body), /MARKER|4711/)
})

t.test('A body is never converted', async (t) => {
  for (const value of [null, 'true', 'false', 1, 0, '', []]) {
    const fault = ['bool_type', validBoolean] as const
    refused(t, await quickSetup({ include_template_payload: value }), [
      'body include_template_payload',
      ...fault,
    ])
  }
  for (const value of ['5', true, [5], '', {}]) {
    refused(t, await quickSetup({ team_size: value }), ['body team_size', 'int_type', validInteger])
  }
  for (const value of [7, true, ['x'], {}]) {
    refused(t, await branding({ company_name: value }), [
      'body company_name',
      'string_type',
      validString,
    ])
  }
  for (const value of ['x', 7, false, {}]) {
    refused(t, await branding({ departments: value }), ['body departments', 'list_type', validList])
  }
  for (const value of [null, 7, 'x', true, []]) {
    const fault = ['dict_type', validDictionary] as const
    refused(t, await quickSetup({ metadata: value }), ['body metadata', ...fault])
  }
  t.equal((await quickSetup({ team_size: 1.0 })).status, 200)
})

t.test('Unknown fields are ignored', async (t) => {
  const body = { company_name: 'Known', colour: 'blue', organization_id: 'x', constructor: 7 }
  const answer = await branding(body)
  t.equal(answer.status, 200)
  t.match(answer.body, { company_name: 'Known', organization_id })
  t.notOk('colour' in answer.body)
})

t.test('A body that is not an object', async (t) => {
  const msg = 'Input should be a valid dictionary or object to extract fields from'
  const json = { 'content-type': 'application/json' }
  const operations = [
    ['register', {}],
    ['login', {}],
    ['inviteMember', { token, params }],
    ['updateBranding', { token, params }],
    ['applyQuickSetup', { token }],
    ['updateExperiment', { token, params: { experiment_id: 'any' } }],
  ] as const
  for (const [operationId, options] of operations) {
    t.test(`is refused by ${operationId}`, async (t) => {
      refused(t, await call(operationId, options), fieldRequired)
      refused(t, await call(operationId, { ...options, headers: json }), fieldRequired)
      refused(t, await call(operationId, { ...options, rawBody: '' }), fieldRequired)
      refused(t, await call(operationId, { ...options, rawBody: 'null' }), fieldRequired)
      for (const body of [[], [{}], '', 'text', 0, 5.5, true, false]) {
        refused(t, await call(operationId, { ...options, body }), [
          'body',
          'model_attributes_type',
          msg,
        ])
      }
    })
  }
})

t.test('A body that is not JSON is refused', async (t) => {
  const send = (rawBody: string) => call('updateBranding', { token, params, rawBody })
  const atOffset = await send('{"company_name": "x",}')
  refused(t, atOffset, ['body 21', 'json_invalid', 'JSON decode error'])
  for (const text of ['{', '{"a"', 'undefined', "{'a':1}", '{"a":1}}', 'NaN', '\ufeff', ' ']) {
    const { status, body } = await send(text)
    t.equal(status, 422)
    t.equal(body.detail.length, 1)
    t.match(body.detail[0], { msg: 'JSON decode error', type: 'json_invalid' })
    t.match(body.detail[0].loc.join(' '), /^body( \d+)?$/)
  }
  for (const text of ['x position 4711', 'JSON at position 4711', '"4711']) {
    t.notMatch(JSON.stringify((await send(text)).body), /4711/)
  }
})

t.test('A query', async (t) => {
  t.test('is converted when its text is unambiguous', async (t) => {
    for (const limit of ['1', '500', '007']) t.equal((await events({ limit })).status, 200, limit)
    t.equal((await events({ limit: '1' })).body.length, 1)
  })

  t.test('treats an empty text, number or boolean as left out', async (t) => {
    t.equal((await events({ limit: '' })).status, 200)
    const query = { is_bot: '', is_active: '', limit: '', role: '', cursor: '' }
    const [all, empty] = [
      await call('listUsers', { token }),
      await call('listUsers', { token, query }),
    ]
    t.strictSame([empty.status, empty.body], [200, all.body])
  })

  for (const limit of [' ', ' 5', '5 ', '+5', '0x10', '1e2', '5.0', '5,5', 'ten', 'null', '٣']) {
    t.test(`does not accept "${limit}" as an integer`, async (t) => {
      refused(t, await events({ limit }), ['query limit', 'int_parsing', unparsableInteger])
    })
  }

  t.test('checks the bounds of an integer of any length', async (t) => {
    for (const limit of ['0', '-1', '-0']) {
      const msg = 'Input should be greater than or equal to 1'
      refused(t, await events({ limit }), ['query limit', 'greater_than_equal', msg])
    }
    for (const limit of ['501', '9'.repeat(20)]) {
      const msg = 'Input should be less than or equal to 500'
      refused(t, await events({ limit }), ['query limit', 'less_than_equal', msg])
    }
  })

  t.test('accepts a parameter only once', async (t) => {
    refused(t, await events({ limit: ['1', '1'] }), ['query limit', 'int_type', validInteger])
    refused(t, await events({ category: ['auth', 'auth'] }), [
      'query category',
      'string_type',
      validString,
    ])
    const both = { organization_id: [organization_id, organization_id], scenario_name: ['a', 'b'] }
    refused(
      t,
      await call('listChannelTemplates', { token, query: both }),
      ['query organization_id', 'string_type', validString],
      ['query scenario_name', 'string_type', validString],
    )
  })

  t.test('has all its faults reported together, and unknown parameters ignored', async (t) => {
    refused(
      t,
      await events({ limit: 'x', cursor: 'y'.repeat(201) }),
      ['query limit', 'int_parsing', unparsableInteger],
      ['query cursor', 'string_too_long', 'String should have at most 200 characters'],
    )
    t.equal((await events({ page: '2', sort: 'asc', __proto: 'x' })).status, 200)
  })
})

t.test('A schema that would lose values is refused at the start', async (t) => {
  const parts = {
    allOf: [],
    oneOf: [],
    patternProperties: {},
    additionalProperties: { type: 'string' },
  }
  for (const [keyword, value] of Object.entries(parts)) {
    const property = { type: 'object', [keyword]: value }
    t.throws(() => declaredOnly({ type: 'object', properties: { property } }), new RegExp(keyword))
  }
})
