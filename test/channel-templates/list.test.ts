import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const other = await registerAdmin()

const list = ({ token }: Member, query: Record<string, string> = {}) =>
  call('listChannelTemplates', { token, query })
const namesIn = (templates: Schema<'ChannelTemplate'>[]) =>
  templates.map(({ scenario_name, channel_name }) => `${scenario_name}/${channel_name}`)

const reply = {
  sender_character_id: 'character-2',
  content: 'In my drawer, eleven of twelve. 🗝️',
  offset_minutes: 12,
  metadata: { tone: { dry: true } },
}
const message = {
  sender_character_id: 'character-1',
  content: 'Who has the badges?\nThe wave starts on Monday.',
  offset_hours: -24,
  thread_replies: [reply, { ...reply, offset_minutes: 30 }],
  metadata: { kind: 'story' },
}
const later = { ...message, offset_hours: 0, thread_replies: [], metadata: {} }

async function insert(
  { organization_id }: Member,
  scenario_name: string | undefined,
  channel_name: string,
) {
  const _id = createId()
  const message_templates = jsonb([message, later])
  const template = { organization_id, _id, setup_id: null, scenario_name, channel_name }
  await db
    .insertInto('channel_templates')
    .values({ ...template, message_templates })
    .execute()
  return _id
}

await insert(admin, 'onboarding', 'welcome')
await insert(admin, 'hr_workforce', 'people-team')
await insert(admin, 'hr_workforce', 'all-staff')
const loungeId = await insert(admin, undefined, 'lounge')
await insert(admin, 'onboarding', 'badges')
await insert(other, 'hr_workforce', 'all-staff')
await insert(other, 'ethics', 'questions')
const ours = [
  'default/lounge',
  'hr_workforce/all-staff',
  'hr_workforce/people-team',
  'onboarding/badges',
  'onboarding/welcome',
]
const theirs = ['ethics/questions', 'hr_workforce/all-staff']

t.test('listChannelTemplates', async (t) => {
  t.test('returns templates with all their fields', async (t) => {
    const { status, headers, body } = await list(admin, { scenario_name: 'default' })
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/json/)
    const [{ created_at, updated_at }] = body
    t.strictSame(body, [
      {
        _id: loungeId,
        organization_id: admin.organization_id,
        scenario_name: 'default',
        channel_name: 'lounge',
        message_templates: [message, later],
        is_active: true,
        apply_to_existing_users: false,
        created_at,
        updated_at,
      },
    ])
    for (const time of [created_at, updated_at]) t.equal(new Date(time).toISOString(), time)
  })

  t.test('shows an inactive template as inactive', async (t) => {
    const home = await registerAdmin()
    const _id = await insert(home, 'hr_workforce', 'retired')
    await db
      .updateTable('channel_templates')
      .set({ is_active: false, apply_to_existing_users: true, message_templates: jsonb([]) })
      .where('_id', '=', _id)
      .execute()
    const [template] = (await list(home)).body
    t.match(template, { _id, is_active: false, apply_to_existing_users: true })
    t.strictSame(template.message_templates, [])
  })

  t.test('returns the templates of the organization, sorted by scenario and channel', async (t) => {
    t.strictSame(namesIn((await list(admin)).body), ours)
    t.strictSame(namesIn((await list(other)).body), theirs)
    t.strictSame((await list(await registerAdmin())).body, [])
  })

  t.test("accepts the caller's own organization as a filter", async (t) => {
    const { organization_id } = admin
    t.strictSame(namesIn((await list(admin, { organization_id })).body), ours)
  })

  t.test('returns the templates of one scenario', async (t) => {
    const { body } = await list(admin, { scenario_name: 'onboarding' })
    t.strictSame(namesIn(body), ['onboarding/badges', 'onboarding/welcome'])
    for (const scenario_name of ['ONBOARDING', 'onboard', 'ethics', '%', "' or true --"]) {
      t.strictSame((await list(admin, { scenario_name })).body, [], scenario_name)
    }
  })

  t.test('treats an empty filter as absent', async (t) => {
    for (const empty of ['', 'null']) {
      const query = { organization_id: empty, scenario_name: empty }
      t.strictSame(namesIn((await list(admin, query)).body), ours, JSON.stringify(empty))
    }
  })

  t.test('shows the templates of a quick setup to every role that may read them', async (t) => {
    const home = await registerAdmin()
    const setup = await call('applyQuickSetup', { token: home.token, body: {} })
    const { body } = await list(home, { scenario_name: 'hr_workforce' })
    const ids = body.map(({ _id }: Schema<'ChannelTemplate'>) => _id)
    t.strictSame(ids.toSorted(), setup.body.channel_template_ids.toSorted())
    for (const role of ['admin', 'hr', 'bot'] as const) {
      const answer = await list(await addMember(home.organization_id, role))
      t.strictSame([answer.status, answer.body], [200, body], role)
    }
    const messages: Schema<'MessageTemplate'>[] = body.flatMap(
      ({ message_templates = [] }: Schema<'ChannelTemplate'>) => message_templates,
    )
    const replies = messages.flatMap(({ thread_replies = [] }) => thread_replies)
    t.ok(messages.length >= 12 && replies.length >= 8)
    t.ok(messages.every(({ offset_hours }) => Number.isInteger(offset_hours)))
    t.ok(messages.some(({ offset_hours = 0 }) => offset_hours < 0))
    t.ok(replies.every(({ offset_minutes = 0 }) => offset_minutes > 0))
    for (const one of [...messages, ...replies]) {
      t.match(one, { sender_character_id: /\S/, content: /\S/, metadata: Object })
    }
  })

  t.test('answers 404 for an unknown organization', async (t) => {
    const expected = { detail: 'Organization not found', code: 'organization_not_found' }
    const answer = await list(admin, { organization_id: createId() })
    t.strictSame([answer.status, answer.body], [404, expected])
  })

  t.test('shows all organizations to a super_admin, or the requested one', async (t) => {
    const operator = await addMember((await registerAdmin()).organization_id, 'super_admin')
    const all: Schema<'ChannelTemplate'>[] = (await list(operator)).body
    const of = ({ organization_id }: Member) =>
      namesIn(all.filter((template) => template.organization_id === organization_id))
    t.strictSame([of(admin), of(other)], [ours, theirs])
    const scenarios = all.map(({ scenario_name = '' }) => scenario_name)
    t.strictSame(scenarios, scenarios.toSorted())
    const { organization_id } = other
    t.strictSame(namesIn((await list(operator, { organization_id })).body), theirs)
    const one = await list(operator, { organization_id, scenario_name: 'ethics' })
    t.strictSame(namesIn(one.body), ['ethics/questions'])
    for (const unknown of [createId(), 'no uuid']) {
      t.equal((await list(operator, { organization_id: unknown })).status, 404)
    }
  })

  t.test('refuses a parameter given twice or one that cannot be stored', async (t) => {
    const { token } = admin
    const twice = { scenario_name: ['a', 'b'] }
    const answer = await call('listChannelTemplates', { token, query: twice })
    t.match(answer, { status: 422, body: { detail: [{ loc: ['query', 'scenario_name'] }] } })
    t.equal((await list(admin, { scenario_name: 'a\0b' })).status, 422)
  })
})
