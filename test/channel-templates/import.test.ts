import type { Schema } from '../../src/contract.js'
import { refused } from '../helpers/faults.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { addCharacter, numbersFrom, rowsWritten } from '../helpers/templates.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const cast = ['marta.keller', 'jonas_weber', 'li-wei']

async function registerWithCast() {
  const admin = await registerAdmin()
  for (const username of cast) await addCharacter(db, admin.organization_id, { username })
  return admin
}
const admin = await registerWithCast()
const { organization_id } = admin

type File = Schema<'ChannelTemplateFile'>
const fileOf = (templates: object[]) => ({ format: 'channel-templates', version: 1, templates })
const load = (as: Member, templates: object[], query: Record<string, string> = {}) =>
  call('importChannelTemplates', { token: as.token, query, body: fileOf(templates) })
const save = (as: Member, query: Record<string, string> = {}) =>
  call('exportChannelTemplates', { token: as.token, query })
const say = (sender_username: string, content = 'Hello', fields: object = {}) => ({
  sender_username,
  content,
  ...fields,
})
const faultOf = (template: number, message: number, field: string) =>
  `body templates ${template} message_templates ${message} ${field}`
const noCharacter = 'Value error, the sender is no character of this organization'

/** Returns random templates with texts that are hard to export and import. */
function randomTemplates(seed: number) {
  const { below, one } = numbersFrom(seed)
  const odd = [
    'ß',
    '🗝️',
    '"',
    '\\',
    '\n',
    ' ',
    '\u2028',
    '{{ scenario.name }}',
    '</x>',
    'a',
    '\u0001',
  ]
  const textOf = (parts: string[]) =>
    `.${Array.from({ length: below(9) }, () => one(parts)).join('')}`
  const text = () => textOf(odd)
  // A name has no invisible characters.
  const name = () => textOf(odd.filter((part) => !/[\p{Cc}\p{Zl}]/u.test(part)))
  const metadata = () => one([{}, { [text()]: [null, 1.5, { deep: text() }] }, { kind: text() }])
  const post = () => say(one(cast), text(), { metadata: metadata() })
  const reply = () => ({ ...post(), offset_minutes: below(10_081) })
  const replies = () => Array.from({ length: below(4) }, reply)
  const message = () => ({
    ...post(),
    offset_hours: below(17_521) - 8760,
    thread_replies: replies(),
  })
  return Array.from({ length: 1 + below(5) }, (_, i) => ({
    scenario_name: one(['default', 'z', name()]),
    channel_name: `${name()}${i}`,
    is_active: below(2) === 1,
    apply_to_existing_users: below(2) === 1,
    message_templates: Array.from({ length: below(5) }, message),
  }))
}

t.test('exportChannelTemplates', async (t) => {
  t.test('writes a file that another organization imports without loss', async (t) => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const [here, there] = [await registerWithCast(), await registerWithCast()]
      const templates = randomTemplates(seed)
      t.equal((await load(here, templates)).body.created, templates.length)
      const exported: File = (await save(here)).body
      const byName = (list: object[]) => list.map((one) => JSON.stringify(one, sorted)).toSorted()
      t.strictSame(byName(exported.templates), byName(templates), `seed ${seed}`)
      const again = await call('importChannelTemplates', { token: there.token, body: exported })
      t.equal(again.body.created, templates.length)
      t.strictSame((await save(there)).body, exported, `seed ${seed}`)
    }
  })

  t.test('writes the templates of one scenario, or none, as an attachment', async (t) => {
    const home = await registerWithCast()
    await load(home, [{ channel_name: 'a' }, { channel_name: 'b', scenario_name: 's' }])
    const { body, headers } = await save(home, { scenario_name: 's' })
    t.strictSame(body.templates.length, 1)
    const name = `channel-templates-${home.organization_id}-\\d{4}-\\d\\d-\\d\\d\\.json`
    t.match(headers.get('content-disposition'), RegExp(`^attachment; filename="${name}"$`))
    t.strictSame((await save(home, { scenario_name: 'none' })).body.templates, [])
    const reader = await addMember(home.organization_id, 'hr')
    t.equal((await save(reader)).body.templates.length, 2)
    const stranger = { organization_id: home.organization_id }
    const operator = await addMember(organization_id, 'super_admin')
    t.equal((await save(operator, stranger)).body.templates.length, 2)
  })

  t.test('writes the stored id of a sender who was deleted', async (t) => {
    const home = await registerWithCast()
    const gone = await addCharacter(db, home.organization_id, { username: 'gone' })
    await load(home, [{ channel_name: 'a', message_templates: [say('gone')] }])
    await db
      .deleteFrom('users')
      .where('organization_id', '=', home.organization_id)
      .where('_id', '=', gone)
      .execute()
    const { templates } = (await save(home)).body
    t.equal(templates[0].message_templates[0].sender_username, gone)
  })

  t.test('writes a file of many templates', async (t) => {
    const home = await registerWithCast()
    const many = Array.from({ length: 150 }, (_, i) => ({ channel_name: `c${i}` }))
    await load(home, many)
    t.equal((await save(home)).body.templates.length, 150)
  })
})

/** Sorts the keys, because jsonb does not keep their order. */
function sorted(_key: string, value: unknown) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? Object.fromEntries(Object.entries(value).toSorted()) : value
}

t.test('importChannelTemplates', async (t) => {
  t.test('stores all templates or none, and reports every fault', async (t) => {
    const before = await rowsWritten(db, organization_id)
    const fine = Array.from({ length: 20 }, (_, i) => ({ channel_name: `c${i}` }))
    const unknown = await load(admin, [
      ...fine,
      { channel_name: 'last', message_templates: [say('li-wei'), say('nobody')] },
    ])
    refused(t, unknown, [faultOf(20, 1, 'sender_username'), 'unknown_character', noCharacter])
    const inactive = await addCharacter(db, organization_id, { username: 'old', is_active: false })
    const thread_replies = [say('old', ' ')]
    const faults = await load(admin, [
      { channel_name: 'same', message_templates: [say('li-wei', 'x', { thread_replies })] },
      { channel_name: 'same' },
    ])
    const twice = 'Value error, the file has another template of this scenario and channel'
    refused(
      t,
      faults,
      [
        faultOf(0, 0, 'thread_replies 0 sender_username'),
        'inactive',
        'Value error, the sender is not active',
      ],
      [faultOf(0, 0, 'thread_replies 0 content'), 'blank', 'Value error, the text is blank'],
      ['body templates 1 channel_name', 'duplicate', twice],
    )
    const early = await load(admin, [
      {
        channel_name: 'x',
        message_templates: [
          say('li-wei', 'x', { thread_replies: [say('li-wei', 'x', { offset_minutes: -5 })] }),
        ],
      },
    ])
    const msg = 'Input should be greater than or equal to 0: a reply cannot come before its message'
    refused(t, early, [faultOf(0, 0, 'thread_replies 0 offset_minutes'), 'greater_than_equal', msg])
    await db
      .deleteFrom('users')
      .where('organization_id', '=', organization_id)
      .where('_id', '=', inactive)
      .execute()
    t.strictSame(await rowsWritten(db, organization_id), before)
  })

  t.test('refuses a file with an existing template, or replaces it under its id', async (t) => {
    const home = await registerWithCast()
    const first = [{ channel_name: 'a' }, { channel_name: 'b' }]
    const { template_ids } = (await load(home, first)).body
    const met = await load(home, [{ channel_name: 'c' }, { channel_name: 'a' }])
    const existing = [{ scenario_name: 'default', channel_name: 'a' }]
    t.match(met, { status: 409, body: { code: 'template_exists', existing } })
    t.equal((await save(home)).body.templates.length, 2, 'nothing of a refused file is stored')
    const events = () => auditEvents(call, home, { category: 'channel_template' })
    const changed = { channel_name: 'b', message_templates: [say('li-wei')] }
    const overwrite = { overwrite: 'true' }
    const { body } = await load(
      home,
      [{ channel_name: 'c' }, ...first.slice(0, 1), changed],
      overwrite,
    )
    t.match(body, { created: 1, updated: 1 })
    t.strictSame(body.template_ids.slice(1), template_ids)
    const [event, replaced] = await events()
    t.match(replaced, {
      event_type: 'channel_template_updated',
      metadata: { changes: { message_templates: { from: [], to: [{}] } } },
    })
    t.match(event, {
      event_type: 'channel_templates_imported',
      metadata: {
        created: [{ channel_name: 'c', template_id: body.template_ids[0] }],
        updated: [{ channel_name: 'b', scenario_name: 'default', template_id: template_ids[1] }],
      },
    })
    const count = (await events()).length
    const same = await load(home, [changed], overwrite)
    t.match(same.body, { created: 0, updated: 0, template_ids: [template_ids[1]] })
    t.match((await load(home, [])).body, { created: 0, updated: 0, template_ids: [] })
    t.equal((await events()).length, count, 'and records no event without a change')
  })

  t.test('accepts a file of several MiB, and refuses one that is too large', async (t) => {
    const home = await registerWithCast()
    const content = 'x'.repeat(8_000)
    const message_templates = Array(30).fill(say('li-wei', content))
    const large = Array.from({ length: 12 }, (_, i) => ({
      channel_name: `${i}`,
      message_templates,
    }))
    t.equal((await load(home, large)).status, 200)
    const [one] = large
    const most = [{ ...one, message_templates: [...message_templates, ...message_templates] }]
    const tooLong = await load(home, most, { overwrite: 'true' })
    t.match(tooLong.body.detail, [{ loc: ['body', 'templates', '0', 'message_templates'] }])
    const rawBody = JSON.stringify(fileOf([])) + ' '.repeat(4 * 1024 * 1024)
    const { status } = await call('importChannelTemplates', { token: home.token, rawBody })
    t.equal(status, 413)
    t.equal((await save(home)).body.templates.length, 12)
  })

  t.test('reports only the first fault of a body with very many faults', async (t) => {
    const templates = JSON.stringify(fileOf([])).replace('[]', `[${'1,'.repeat(200_000)}1]`)
    const answer = await call('importChannelTemplates', { token: admin.token, rawBody: templates })
    const msg = 'List should have at most 1000 items'
    refused(t, answer, ['body templates', 'too_long', msg])
  })

  t.test('allows a super_admin in any organization', async (t) => {
    const home = await registerAdmin()
    const query = { organization_id: home.organization_id }
    const operator = await addMember(organization_id, 'super_admin')
    t.equal((await load(operator, [{ channel_name: 'by an operator' }], query)).body.created, 1)
    t.equal((await save(home)).body.templates[0].channel_name, 'by an operator')
  })
})
