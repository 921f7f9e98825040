import { createId } from '../../src/formats/identifiers.js'
import { whileBroken } from '../helpers/broken-table.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { addCharacter, messageOf, replyOf } from '../helpers/templates.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin
const marta = await addCharacter(db, organization_id)
const jonas = await addCharacter(db, organization_id)
const message = messageOf(marta, { thread_replies: [replyOf(jonas)], metadata: { beat: 'badges' } })

const create = (body: object, { token }: Member = admin) =>
  call('createChannelTemplate', { token, body })
const at = (template_id: string, headers = {}, { token }: Member = admin) => ({
  token,
  params: { template_id },
  headers,
})
const channel = () => `channel ${createId()}`
const eventsOf = async (_id: string) =>
  (await auditEvents(call, admin, { category: 'channel_template' })).filter(
    ({ metadata }) => metadata?.template_id === _id,
  )
const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? ''

t.test('createChannelTemplate', async (t) => {
  t.test('stores what is given and fills in the rest', async (t) => {
    const channel_name = channel()
    const { sender_character_id, content } = message
    const brief = { sender_character_id, content, unknown: 1, thread_replies: [] }
    const answer = await create({ channel_name, message_templates: [message, brief] })
    const { _id, created_at, updated_at } = answer.body
    t.equal(answer.status, 201)
    t.strictSame(answer.body, {
      _id,
      organization_id,
      scenario_name: 'default',
      channel_name,
      message_templates: [message, { ...messageOf(marta), content }],
      is_active: true,
      apply_to_existing_users: false,
      created_at,
      updated_at,
      warnings: [],
    })
    const got = await call('getChannelTemplate', at(_id))
    const { warnings, ...template } = answer.body
    t.strictSame([got.status, got.body], [200, answer.body])
    t.equal(tagOf(got), tagOf(answer), 'with the same tag')
    t.match((await eventsOf(_id))[0], {
      event_type: 'channel_template_created',
      actor_id: admin.user_id,
      metadata: {
        channel_name,
        scenario_name: 'default',
        messages: 2,
        changes: { message_templates: { from: [], to: template.message_templates } },
      },
    })
  })

  t.test('allows one template per scenario and channel', async (t) => {
    const names = { scenario_name: 'onboarding', channel_name: channel() }
    t.equal((await create(names)).status, 201)
    t.match(await create(names), { status: 409, body: { code: 'template_exists' } })
    t.equal((await create({ ...names, scenario_name: 'other' })).status, 201)
    t.equal(
      (await create(names, await registerAdmin())).status,
      201,
      'separately in each organization',
    )
    const together = { channel_name: channel() }
    const answers = await Promise.all([create(together), create(together)])
    t.strictSame(answers.map(({ status }) => status).toSorted(), [201, 409])
  })

  t.test('lets a super_admin create a template in another organization', async (t) => {
    const operator = await addMember((await registerAdmin()).organization_id, 'super_admin')
    const { body } = await create({ organization_id, channel_name: channel() }, operator)
    t.equal(body.organization_id, organization_id)
    const answer = await create({ organization_id: createId(), channel_name: channel() })
    t.match(answer, { status: 404, body: { code: 'organization_not_found' } })
  })
})

t.test('getChannelTemplate', async (t) => {
  t.test('answers 404 for an unknown template', async (t) => {
    const unknown = await call('getChannelTemplate', at(createId()))
    t.match(unknown, { status: 404, body: { code: 'template_not_found' } })
  })
})

t.test('replaceChannelTemplate', async (t) => {
  t.test('replaces everything, with defaults for what is left out', async (t) => {
    const flags = { is_active: false, apply_to_existing_users: true, scenario_name: 'old' }
    const body = { channel_name: channel(), message_templates: [message], ...flags }
    const { _id } = (await create(body)).body
    const channel_name = channel()
    const answer = await call('replaceChannelTemplate', { ...at(_id), body: { channel_name } })
    const wanted = { channel_name, scenario_name: 'default', is_active: true }
    t.match(answer.body, { _id, ...wanted, apply_to_existing_users: false })
    t.strictSame(answer.body.message_templates, [])
    t.equal(tagOf(answer), tagOf(await call('getChannelTemplate', at(_id))))
    const [event] = await eventsOf(_id)
    t.match(event?.metadata, {
      changes: {
        scenario_name: { from: 'old', to: 'default' },
        is_active: { from: false, to: true },
        message_templates: { from: [message], to: [] },
      },
      first_changed_message: 0,
    })
  })

  t.test('removes a template from its setup when it gets another name', async (t) => {
    const home = await registerAdmin()
    const setUp = () => call('applyQuickSetup', { token: home.token, body: {} })
    const [_id = ''] = (await setUp()).body.channel_template_ids
    const body = { channel_name: 'ours', scenario_name: 'hr_workforce' }
    t.equal((await call('replaceChannelTemplate', { ...at(_id, {}, home), body })).status, 200)
    const { created, channel_template_ids } = (await setUp()).body
    t.equal(created.channel_templates, 1, 'the setup creates its own template again')
    t.notOk(channel_template_ids.includes(_id))
    t.match((await call('getChannelTemplate', at(_id, {}, home))).body, body)
  })

  t.test('refuses a name that is taken', async (t) => {
    const names = { scenario_name: 'taken', channel_name: channel() }
    await create(names)
    const { _id } = (await create({ channel_name: channel() })).body
    const answer = await call('replaceChannelTemplate', { ...at(_id), body: names })
    t.match(answer, { status: 409, body: { code: 'template_exists' } })
    const moved = await call('updateChannelTemplate', { ...at(_id), body: names })
    t.match(moved, { status: 409, body: { code: 'template_exists' } })
  })
})

t.test('updateChannelTemplate', async (t) => {
  t.test('changes only the given fields', async (t) => {
    const { body } = await create({ channel_name: channel(), message_templates: [message] })
    const update = (fields: object) =>
      call('updateChannelTemplate', { ...at(body._id), body: fields })
    const nothing = { is_active: null, message_templates: null, channel_name: body.channel_name }
    t.strictSame((await update(nothing)).body, body)
    t.equal((await eventsOf(body._id)).length, 1, 'and leaves no event without a change')
    const { updated_at, ...changed } = (await update({ is_active: false })).body
    t.match({ ...body, is_active: false }, changed)
    t.ok(updated_at >= body.updated_at)
    const other = messageOf(jonas)
    const { message_templates } = (await update({ message_templates: [other] })).body
    t.strictSame(message_templates, [other])
  })

  t.test('records the changed messages by their place', async (t) => {
    const list = ['a', 'b', 'c', 'd'].map((content) => messageOf(marta, { content }))
    const { _id } = (await create({ channel_name: channel(), message_templates: list })).body
    const changed = list.with(2, messageOf(marta, { content: 'new' }))
    await call('updateChannelTemplate', { ...at(_id), body: { message_templates: changed } })
    const [{ metadata } = {}] = await eventsOf(_id)
    t.equal(metadata?.first_changed_message, 2)
    const change = { from: list.slice(2, 3), to: changed.slice(2, 3) }
    t.strictSame(metadata?.changes, { message_templates: change })

    const long = list.map((one) => ({ ...one, content: 'long '.repeat(1000) }))
    await call('updateChannelTemplate', { ...at(_id), body: { message_templates: long } })
    const [{ metadata: hashed } = {}] = await eventsOf(_id)
    const hash = { messages: 4, sha256: /^[0-9a-f]{64}$/ }
    t.match(hashed?.changes, { message_templates: { from: hash, to: hash } })
  })

  t.test('accepts only the first of two changes to the same version', async (t) => {
    const second = await addMember(organization_id, 'admin')
    const made = await create({ channel_name: channel(), message_templates: [message] })
    const { _id } = made.body
    const match = { 'if-match': tagOf(made) }
    const answers = await Promise.all([
      call('updateChannelTemplate', { ...at(_id, match), body: { is_active: false } }),
      call('updateChannelTemplate', { ...at(_id, match, second), body: { message_templates: [] } }),
    ])
    t.strictSame(answers.map(({ status }) => status).toSorted(), [200, 412])
    const winner = answers.find(({ status }) => status === 200)
    const { body } = await call('getChannelTemplate', at(_id))
    t.strictSame({ ...body, warnings: [] }, winner?.body)
    const requests = [
      call('replaceChannelTemplate', {
        ...at(_id, { 'if-match': tagOf(winner ?? made) }),
        body: { channel_name: channel() },
      }),
      call('deleteChannelTemplate', at(_id, { 'if-match': tagOf(winner ?? made) }, second)),
    ]
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    // A request after the deletion finds nothing that could match.
    t.ok(['200,412', '404,204'].includes(statuses.join()), statuses.join())
  })

  t.test('changes nothing when its audit event cannot be stored', async (t) => {
    const { body } = await create({ channel_name: channel() })
    await whileBroken(db, 'audit_events', 'at once', async () => {
      const answer = await call('updateChannelTemplate', {
        ...at(body._id),
        body: { is_active: false },
      })
      t.equal(answer.status, 500)
    })
    t.equal((await call('getChannelTemplate', at(body._id))).body.is_active, true)
  })
})

t.test('deleteChannelTemplate', async (t) => {
  const made = await create({ channel_name: channel(), message_templates: [message] })
  const { _id } = made.body
  t.equal((await call('deleteChannelTemplate', at(_id, { 'if-match': '"x"' }))).status, 412)
  t.equal((await call('deleteChannelTemplate', at(_id, { 'if-match': tagOf(made) }))).status, 204)
  t.equal((await call('getChannelTemplate', at(_id))).status, 404)
  t.equal((await call('deleteChannelTemplate', at(_id))).status, 404)
  const [event] = await eventsOf(_id)
  t.match(event, { event_type: 'channel_template_deleted', metadata: { messages: 1 } })
  t.match(event?.metadata?.changes, { message_templates: { from: [{}], to: [] } })
})
