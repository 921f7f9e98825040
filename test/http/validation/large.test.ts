import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const { call, request, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const params = { organization_id }
const branding = (rawBody: string) => call('updateBranding', { token, params, rawBody })
const importFile = (rawBody: string) =>
  call('importChannelTemplates', { token, query: { dry_run: 'true' }, rawBody })
const file = (templates: string) =>
  `{"format":"channel-templates","version":1,"templates":[${templates}]}`

t.test('A body with a secret may have 8 KiB, and a registration 64 KiB', async (t) => {
  const refusal = [413, 'payload_too_large']
  for (const id of ['login', 'changePassword', 'verifyEmail', 'takeSeat', 'register'] as const) {
    const most = id === 'register' ? 65_536 : 8_192
    const send = (bytes: number) => call(id, { token, rawBody: '{}'.padEnd(bytes) })
    t.equal((await send(most)).status, 422, id)
    const { status, body } = await send(most + 1)
    t.strictSame([status, body.code], refusal, id)
  }
  t.equal((await branding('{}'.padEnd(65_537))).status, 200, 'more with a token')
})

t.test('A body for a path that does not exist is not read', async (t) => {
  const headers = { 'content-type': 'application/json' }
  const { status } = await request('/nowhere', { method: 'POST', headers, body: '[' })
  t.equal(status, 404)
})

t.test('Text with more than 64 levels', async (t) => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

  t.test('is refused, with its place, before any other check', async (t) => {
    t.equal((await branding(nested(64))).status, 200)
    for (const rawBody of [nested(65), `${nested(65).slice(0, 69)} not JSON`]) {
      const { status, body } = await branding(rawBody)
      const msg = 'JSON decode error: should be nested at most 64 levels deep'
      const place = String('{"a":'.length + 63)
      t.strictSame(
        [status, body.detail],
        [422, [{ loc: ['body', place], msg, type: 'json_invalid' }]],
      )
    }
  })

  t.test('is accepted when the brackets are in a string', async (t) => {
    const company_name = `"\\${'['.repeat(100)}`
    const { status, body } = await branding(JSON.stringify({ company_name }))
    t.strictSame([status, body.company_name], [200, company_name])
  })
})

t.test('A number of more than 1,000 characters is refused, with its place', async (t) => {
  const withNumber = (characters: number) => branding(`{"a": ${'9'.repeat(characters)}}`)
  t.equal((await withNumber(1_000)).status, 200)
  const { status, body } = await withNumber(1_001)
  const msg = 'JSON decode error: a number should have at most 1000 characters'
  t.strictSame([status, body.detail], [422, [{ loc: ['body', '6'], msg, type: 'json_invalid' }]])
})

t.test('A text of more than 262,144 bytes is refused, with its place', async (t) => {
  const withText = (bytes: number) => branding(`{"a": "${'x'.repeat(bytes - 1)}"}`)
  t.equal((await withText(262_144)).status, 200)
  const { status, body } = await withText(262_145)
  const msg = 'JSON decode error: a text should have at most 262144 bytes'
  t.strictSame([status, body.detail], [422, [{ loc: ['body', '6'], msg, type: 'json_invalid' }]])
})

t.test('An imported template with too many bytes is refused', async (t) => {
  const message_templates = Array(30).fill({ content: 'x'.repeat(9_000) })
  const template = { channel_name: 'long', message_templates }
  const { status, body } = await importFile(file(`{},${JSON.stringify(template)}`))
  t.equal(status, 422)
  const msg = 'Value error, should be at most 262144 bytes as JSON'
  const loc = ['body', 'templates', '1', 'message_templates']
  const faults = body.detail.filter(({ type }: { type: string }) => type === 'too_large')
  t.strictSame(faults, [{ loc, msg, type: 'too_large' }])
})

t.test('The items of a list that is too long are not checked', async (t) => {
  const { body } = await branding(
    JSON.stringify({ departments: Array(101).fill(7), welcome_message: 7 }),
  )
  t.strictSame(
    body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [...loc, type]),
    [
      ['body', 'departments', 'too_long'],
      ['body', 'welcome_message', 'string_type'],
    ],
  )
})

t.test('A body of more than 5,000 values has only its first fault reported', async (t) => {
  const faultsOf = async (values: number) => {
    const unknown = Array(values - 3).fill(1)
    const { body } = await branding(
      JSON.stringify({ unknown, welcome_message: 7, company_name: 7 }),
    )
    return body.detail.length
  }
  t.equal(await faultsOf(5_000), 2)
  t.equal(await faultsOf(5_001), 1)
})

t.test('A body with more values than its size allows is refused', async (t) => {
  const listOf = (values: number) => JSON.stringify({ unknown: Array(values - 1).fill(1) })
  const tooMany = (most: number) => {
    const msg = `Body should have at most ${most} values`
    return [422, [{ loc: ['body'], msg, type: 'too_long' }]]
  }
  t.equal((await branding(listOf(52_428))).status, 200)
  const { status, body } = await branding(listOf(52_429))
  t.strictSame([status, body.detail], tooMany(52_428))
  const long = await importFile(file('1,'.repeat(209_715)))
  t.strictSame([long.status, long.body.detail], tooMany(209_715))
})

t.test('A file of 3 MiB', async (t) => {
  const template = (i: number, fields = '') =>
    `{"channel_name":"c-${i}"${fields},"unknown":"${'x'.repeat(3_000)}"}`
  const templates = Array.from({ length: 1000 }, (_, i) => template(i))

  t.test('is accepted', async (t) => {
    const { status, body } = await importFile(file(templates.join()))
    t.strictSame([status, body.created], [200, 1000])
  })

  t.test('is refused with the place of each fault', async (t) => {
    const wrong = templates.with(997, template(997, ',"is_active":1')).with(3, '7')
    const { status, body } = await importFile(file(wrong.join()).replace('1', '2'))
    t.equal(status, 422)
    t.strictSame(
      body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [...loc, type]),
      [
        ['body', 'version', 'literal_error'],
        ['body', 'templates', '3', 'dict_type'],
        ['body', 'templates', '997', 'is_active', 'bool_type'],
      ],
    )
  })

  t.test('is refused with the place of invalid JSON', async (t) => {
    const before = file(templates.join()).slice(0, -2)
    const { status, body } = await importFile(`${before},{"é":1 2}]}`)
    const fault = { loc: ['body', String(before.length + 8)], type: 'json_invalid' }
    t.match([status, body.detail], [422, [fault]])
  })
})
