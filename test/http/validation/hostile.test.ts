import { refused } from '../../helpers/faults.js'
import { t } from '../../helpers/file.js'
import { auditEvents, startService } from '../../helpers/service.js'

const { call, request, db, registerAdmin } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }
const nul = 'Value error, text must not contain NUL characters'
const surrogate = 'Value error, text must not contain unpaired surrogates'
const tooDeep = 'JSON decode error: should be nested at most 64 levels deep'
const branding = (body: unknown) => call('updateBranding', { token, params, body })
const quickSetup = (body: unknown) => call('applyQuickSetup', { token, body })

t.test('Text that cannot be stored is refused, with its place', async (t) => {
  for (const [text, msg] of [
    ['a\0b', nul],
    ['\ud800', surrogate],
    ['x\udfffy', surrogate],
    ['\udc00\ud800', surrogate],
  ] as const) {
    const fault = ['not_storable', msg] as const
    refused(t, await branding({ company_name: text }), ['body company_name', ...fault])
    refused(t, await branding({ departments: ['a', text] }), ['body departments 1', ...fault])
    refused(t, await quickSetup({ metadata: { a: { b: text } } }), ['body metadata a b', ...fault])
    refused(t, await quickSetup({ metadata: { a: { [text]: 1 } } }), ['body metadata a', ...fault])
    refused(t, await call('login', { body: { email: text, password: 'x' } }), [
      'body email',
      ...fault,
    ])
  }
})

t.test('An unknown field is ignored, whatever its name and value', async (t) => {
  const { body: before } = await branding({})
  const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  for (const field of [
    '"a\\u0000b":1',
    '"\\ud800":1',
    '"unknown":{"deep":["\\u0000"]}',
    `"unknown":${nest(63)}`,
    '"__proto__":{"company_name":"Other"}',
    '"constructor":{"prototype":{}}',
  ]) {
    const rawBody = `{${field}}`
    const { status, body } = await call('updateBranding', { token, params, rawBody })
    t.strictSame([status, body], [200, before], field.slice(0, 40))
  }
  const query = { 'a\0': 'x', __proto__x: '\0', limit: '1' }
  t.equal((await call('listAuditEvents', { token, params, query })).status, 200)
})

t.test('A row that cannot be stored is refused separately', async (t) => {
  const rows = ['a\0b', 'Fine'].map((first_name, row) => {
    return { first_name, last_name: 'Tan', email: `row${row}@hostile.example`, 'x\0': '\0' }
  })
  const { status, body } = await call('inviteMembers', {
    token,
    params,
    body: { invitations: rows },
  })
  t.equal(status, 200)
  t.match(body.results, [{ status: 'refused' }, { status: 'invited' }])
  const loc = ['body', 'invitations', '0', 'first_name']
  t.strictSame(body.results[0].error.faults, [{ loc, msg: nul, type: 'not_storable' }])
})

t.test('Text that cannot be stored is reported together with other faults', async (t) => {
  const answer = await branding({ company_name: 'a\0b', welcome_message: 7 })
  refused(
    t,
    answer,
    ['body company_name', 'not_storable', nul],
    ['body welcome_message', 'string_type', 'Input should be a valid string'],
  )
})

t.test('A NUL in the value of a query is refused', async (t) => {
  const events = (query: Record<string, string>) =>
    call('listAuditEvents', { token, params, query })
  refused(t, await events({ category: '\0' }), ['query category', 'not_storable', nul])
  const query = { scenario_name: 'x\0' }
  const templates = await call('listChannelTemplates', { token, query })
  refused(t, templates, ['query scenario_name', 'not_storable', nul])
})

t.test('A query that is not UTF-8 finds nothing', async (t) => {
  const headers = { authorization: `Bearer ${token}` }
  for (const text of ['%ED%A0%80', '%ff', '%', '%zz', '%u0000']) {
    const path = `/api/v1/admin/simulation/audit-events/${organization_id}?category=${text}`
    const { status, body } = await request(path, { headers })
    t.equal(status, 200)
    t.strictSame(body, [])
  }
})

t.test('Every kind of text that can be stored is returned unchanged', async (t) => {
  for (const text of [
    '🙂 \u{10ffff}',
    '\u0001\u001f\u007f',
    '\ufffe\uffff',
    `'; drop table users --`,
  ]) {
    const { status, body } = await branding({ welcome_message: text })
    t.equal(status, 200)
    t.equal(body.welcome_message, text)
    const [event] = await auditEvents(call, admin)
    t.match(event?.metadata, { changes: { welcome_message: { to: text } } })
  }
})

t.test('JSON with a hundred thousand levels is refused, wherever it is', async (t) => {
  const levels = 100_000
  const arrays = '['.repeat(levels) + ']'.repeat(levels)
  const objects = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  for (const deep of [arrays, objects]) {
    for (const rawBody of [deep, `{"org_culture":${deep}}`, `{"metadata":{"a":${deep}}}`]) {
      const { status, body } = await call('applyQuickSetup', { token, rawBody })
      t.equal(status, 422)
      t.match(body.detail, [{ type: 'json_invalid', msg: tooDeep }])
    }
  }
})

t.test('Metadata may have eight levels and 16384 bytes', async (t) => {
  const nest = (levels: number): object => (levels === 1 ? {} : { a: nest(levels - 1) })
  const tooMany = ['body team_size', 'less_than_equal', 'Input should be less than or equal to 50']
  for (const metadata of [nest(8), { a: 'x'.repeat(16_376) }, { a: 'é'.repeat(8188) }]) {
    const answer = await quickSetup({ metadata, team_size: 99 })
    refused(t, answer, tooMany as [string, string, string])
  }
  const large = { metadata: { a: 'é'.repeat(8189) } }
  const msg = 'Value error, should be at most 16384 bytes as JSON'
  refused(t, await quickSetup(large), ['body metadata', 'too_large', msg])
})

t.test('A __proto__ key in metadata is refused and changes nothing', async (t) => {
  const msg = 'Value error, key is reserved'
  const rawBody = '{"metadata":{"__proto__":{"polluted":true}}}'
  const refusal = await call('applyQuickSetup', { token, rawBody })
  refused(t, refusal, ['body metadata', 'reserved', msg])
  t.notOk('polluted' in {})
  const metadata = { constructor: { prototype: { polluted: true } } }
  const answer = await quickSetup({ metadata, team_size: 1 })
  t.equal(answer.status, 200)
  t.equal(JSON.stringify(answer.body.metadata), JSON.stringify(metadata))
  t.notOk('polluted' in {})
})

t.test('An answer lists at most 1,000 faults', async (t) => {
  const events = Array.from({ length: 500 }, () => ({ event_type: 7, category: 7, title: 7 }))
  const { status, body } = await call('recordAuditEvents', { token, params, body: { events } })
  t.equal(status, 422)
  t.equal(body.detail.length, 1000)
})

t.test('SQL, query operators and templates in a value are plain text', async (t) => {
  const selectIds = () => db.selectFrom('users').select('_id').orderBy('_id').execute()
  const before = await selectIds()
  const hostile = ["' or 1=1 --", '$1', '%s', `{"$ne":null}`, '{{7*7}}', '"; --']
  for (const text of hostile) {
    const query = { category: text, event_type: text, status: text }
    t.strictSame((await call('listAuditEvents', { token, params, query })).body, [])
    const login = await call('login', { body: { email: text, password: text } })
    t.equal(login.status, 401)
  }
  t.strictSame(await selectIds(), before)
})
