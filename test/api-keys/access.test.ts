import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { exampleCall, idsOf, objectOf, operations, unknownId } from '../helpers/walk.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const { token, organization_id } = await registerAdmin()
const bot = await addMember(organization_id, 'bot')

t.test('The API key of a bot', async (t) => {
  const key = { token, params: { user_id: bot.user_id }, body: { name: 'Runtime' } }
  const headers = { 'x-api-key': (await call('createApiKey', key)).body.api_key }
  const message = { sender_character_id: bot.user_id, content: 'Good morning.' }
  const template = { channel_name: 'lobby', message_templates: [message] }
  await call('createChannelTemplate', { token, body: template })
  // A session with the bot in its cast. Its event stream ends, because the session has ended.
  const play = { name: 'Tuesday', scenario_name: 'default', mode: 'external' }
  const { body: session } = await call('createSession', { token, body: play })
  const params = { session_id: session._id }
  for (const step of ['startSession', 'endSession'] as const) {
    await call(step, { token, params })
  }
  const ids = (await idsOf(db, organization_id)).set('user_id', bot.user_id)

  for (const operation of operations.filter(({ roles }) => roles)) {
    const { operationId, apiKeyRoles } = operation
    const isOpen = JSON.stringify(objectOf(operation).security).includes('apiKeyAuth')
    t.test(`${isOpen ? 'opens' : 'does not open'} ${operationId}`, async (t) => {
      t.strictSame(apiKeyRoles, isOpen ? ['bot'] : [])
      const { body, ...example } = exampleCall(operation, ({ name }) => ids.get(name) ?? unknownId)
      const answer = await call(operationId, { ...example, ...(isOpen && { body }), headers })
      const needsRunning = operationId === 'postSessionMessage'
      if (needsRunning) return t.match(answer, { status: 409, body: { code: 'session_ended' } })
      if (isOpen) return t.equal(answer.status, operation.successStatus)
      t.equal(answer.status, 403)
      t.match(answer.body, { code: 'insufficient_role', required_roles: operation.roles })
    })
  }

  t.test('shows a bot the templates and users of its own organization only', async (t) => {
    t.match((await call('listChannelTemplates', { headers })).body, [template])
    const { body } = await call('listUsers', { headers })
    t.ok(body.length > 1)
    const other = await registerAdmin()
    const foreign = { organization_id: other.organization_id }
    const answer = await call('getOrganization', { headers, params: foreign })
    t.equal(answer.status, 404)
    t.equal((await call('listUsers', { headers, query: foreign })).status, 404)
  })
})
