import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { addCharacter, messageOf, replyOf, rowsWritten } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const username = 'marta'
const marta = await addCharacter(db, organization_id, { username })
const alone = messageOf(marta, { thread_replies: [replyOf(marta)] })
const bad = messageOf(createId())
const taken = { scenario_name: 'default', channel_name: 'taken' }
const made = await call('createChannelTemplate', { token, body: taken })
const { _id: template_id } = (
  await call('createChannelTemplate', { token, body: { channel_name: 'own' } })
).body
const query = { dry_run: 'true' }
const before = await rowsWritten(db, organization_id)

t.test('createChannelTemplate', async (t) => {
  const create = (body: object) => call('createChannelTemplate', { token, query, body })
  const { status, body } = await create({ channel_name: 'new', message_templates: [alone] })
  t.match([status, body], [201, { _id: null, channel_name: 'new', organization_id }])
  t.match(body.warnings, [{ type: 'self_answered' }])
  t.equal((await create({ channel_name: 'x', message_templates: [bad] })).status, 422)
  t.equal((await create(taken)).status, 409)
  t.equal((await create({ channel_name: 'x', organization_id: createId() })).status, 404)
  t.strictSame(await rowsWritten(db, organization_id), before)
})

t.test('replaceChannelTemplate', async (t) => {
  const params = { template_id }
  const replace = (body: object, headers = {}) =>
    call('replaceChannelTemplate', { token, query, params, headers, body })
  const own = await call('getChannelTemplate', { token, params })
  const answer = await replace({ channel_name: 'renamed', message_templates: [alone] })
  t.match(answer, { status: 200, body: { _id: template_id, channel_name: 'renamed' } })
  t.match(answer.body.warnings, [{ type: 'self_answered' }])
  const tag = answer.headers.get('etag') ?? ''
  t.equal(tag, own.headers.get('etag'), 'the tag belongs to the template that is still stored')
  const match = { 'if-match': made.headers.get('etag') ?? '' }
  t.equal((await replace({ channel_name: 'x' }, match)).status, 412)
  t.equal((await replace({ channel_name: 'x', message_templates: [bad] })).status, 422)
  t.equal((await replace(taken)).status, 409)
  t.strictSame(await rowsWritten(db, organization_id), before)
})

t.test('updateChannelTemplate', async (t) => {
  const update = (body: object) =>
    call('updateChannelTemplate', { token, query, params: { template_id }, body })
  t.match(await update({ is_active: false }), { status: 200, body: { is_active: false } })
  t.equal((await update({ channel_name: taken.channel_name })).status, 409)
  t.equal((await update({ message_templates: [bad] })).status, 422)
  t.strictSame(await rowsWritten(db, organization_id), before)
})

t.test('importChannelTemplates', async (t) => {
  const run = (templates: object[], overwrite = 'false') =>
    call('importChannelTemplates', {
      token,
      query: { ...query, overwrite },
      body: { format: 'channel-templates', version: 1, templates },
    })
  const message_templates = [{ sender_username: username, content: 'Hello' }]
  const templates = [{ channel_name: 'new' }, { ...taken, message_templates }]
  t.equal((await run(templates)).status, 409)
  const { status, body } = await run(templates, 'true')
  const ids = [null, made.body._id]
  const expected = { created: 1, updated: 1, template_ids: ids, warnings: [] }
  t.strictSame([status, body], [200, expected])
  const unknown = [{ sender_username: 'nobody', content: 'Hello' }]
  t.equal((await run([{ channel_name: 'x', message_templates: unknown }])).status, 422)
  t.strictSame(await rowsWritten(db, organization_id), before)
})
