import { type Models, modelFields } from '../../src/blueprints/catalogue/entries.js'
import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { insertEvents } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { startReplicated } from '../helpers/replicated.js'
import type { Member } from '../helpers/service.js'
import { cannotReplicate } from '../helpers/standby.js'

t.test('Lists with a replica', { skip: cannotReplicate }, async (t) => {
  const { db, standby, serve, freeze, thaw } = await startReplicated(t)
  const { call, untilUsed, quietAdmin, countUsers, addMember } = await serve(t, standby.url)
  t.beforeEach(untilUsed)

  t.test('all come from the replica', async (t) => {
    const { token, organization_id } = await quietAdmin()
    const { user_id } = await addMember(organization_id, 'bot')
    const _id = createId()
    const row = { organization_id, _id, user_id }
    const request = { token, params: { organization_id, user_id } }
    const email = 'tom@example.com'
    const created_at = new Date(Date.now() - 60_000).toISOString()
    const expires_at = created_at
    const invitation = { ...row, email, role: 'employee' as const, expires_at }
    const apiKey = { ...row, name: 'Test', key_hash: 'hash', created_by: user_id }
    const models = Object.fromEntries(modelFields.map((field) => [field, 'ours'])) as Models
    const noRows = { characters: 0, channel_templates: 0, experiments: 0, departments: 0 }
    const noChanges = { changes: [], skipped: [], character_ids: [], channel_template_ids: [] }
    const result = { created: noRows, updated: noRows, removed: noRows, ...noChanges }
    const settled = { ...result, experiment_id: _id, warnings: [] }
    const quickSetup = {
      organization_id,
      _id,
      scenario_type: 'a',
      catalogue_version: '1',
      team_size: 1,
      models: jsonb(models),
      overwrite_existing: true,
      result: jsonb(settled),
      ...{ changes: jsonb({}), applied_at: created_at, applied_by: user_id },
    }
    const event = { organization_id, _id, category: 'user', event_type: 'user_seen', created_at }
    await freeze()
    await addMember(organization_id, 'employee')
    await db.insertInto('invitations').values(invitation).execute()
    await db.insertInto('api_keys').values(apiKey).execute()
    await db
      .insertInto('channel_templates')
      .values({ organization_id, _id, channel_name: 'general' })
      .execute()
    await insertEvents(db, [event])
    await db.insertInto('experiments').values({ organization_id, _id }).execute()
    await db.insertInto('quick_setups').values(quickSetup).execute()

    const lists = [
      ...(['listUsers', 'listInvitations', 'listApiKeys', 'listAuditEvents'] as const),
      ...(['listChannelTemplates', 'listExperiments', 'listQuickSetups'] as const),
    ]
    const read = (operationId: (typeof lists)[number]) => call(operationId, request)
    const count = async () => (await Promise.all(lists.map(read))).map(({ body }) => body.length)
    t.strictSame(await count(), [2, 0, 1, 2, 0, 0, 0], 'without changes after the freeze')
    await thaw()
    t.strictSame(await count(), [3, 1, 2, 3, 1, 1, 1])
  })

  t.test('come from the replica with their total count, whole or in pages', async (t) => {
    const admin = await quietAdmin()
    const { organization_id } = admin
    const users = Array.from({ length: 249 }, (_, index) => {
      const _id = createId()
      const username = `user-${index}`
      return {
        _id,
        organization_id,
        username,
        email: `${_id}@example.com`,
        role: 'employee' as const,
      }
    })
    await db.insertInto('users').values(users).execute()
    await freeze()
    await addMember(organization_id, 'employee')
    t.strictSame(await countUsers(admin), { rows: 250, total: 250 })
    t.strictSame(await countUsers(admin, { limit: '1000' }), { rows: 250, total: 250 })
    t.strictSame(await countUsers(admin, { limit: '10' }), { rows: 10, total: 250 })
    await thaw()
    t.strictSame(await countUsers(admin), { rows: 251, total: 251 })
  })

  t.test('show a change immediately in its organization', async (t) => {
    const [writer, other] = [await quietAdmin(), await quietAdmin()]
    await freeze()
    await addMember(other.organization_id, 'employee')
    const { token, organization_id } = writer
    const request = { token, params: { organization_id } }
    const names = { first_name: 'Tom', last_name: 'Herrera', email: `${createId()}@example.com` }
    await call('inviteMember', { ...request, body: names })
    t.strictSame(await countUsers(writer), { rows: 2, total: 2 })
    t.strictSame(await countUsers(writer, { limit: '5' }), { rows: 2, total: 2 })
    t.equal((await call('listInvitations', request)).body.length, 1)
    const [event] = (await call('listAuditEvents', request)).body
    t.equal(event.event_type, 'member_invited')
    t.equal((await countUsers(other)).rows, 1, 'the other one still reads from the replica')
    await thaw()
  })

  t.test('show a change in another organization to the super_admin who made it', async (t) => {
    const { organization_id: home } = await quietAdmin()
    const operator = await addMember(home, 'super_admin')
    const { token } = operator
    const [changed, other] = [await quietAdmin(), await quietAdmin()]
    await freeze()
    for (const { organization_id } of [changed, other]) await addMember(organization_id, 'employee')
    const params = { user_id: changed.user_id }
    await call('updateUser', { token, params, body: { full_name: 'Ada Lovelace' } })
    const listOf = async ({ organization_id }: Member) =>
      (await call('listUsers', { token, query: { organization_id } })).body
    const users = await listOf(changed)
    t.equal(users.length, 2)
    t.equal(users[0].full_name, 'Ada Lovelace')
    t.equal((await listOf(other)).length, 1)

    const template = { organization_id: other.organization_id, _id: createId() }
    const channel_name = template._id
    await db
      .insertInto('channel_templates')
      .values({ ...template, channel_name })
      .execute()
    const { body } = await call('listChannelTemplates', { token })
    const names = body.map((template: { channel_name: string }) => template.channel_name)
    t.ok(names.includes(channel_name), 'a list of all organizations comes from the primary')
    await thaw()
  })
})
