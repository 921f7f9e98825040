import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { type Member, startService } from '../helpers/service.js'
import { addCharacter, messageOf, rowsWritten } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)

const exceeded = (quota: string, used: number | RegExp, allowed: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota, used, allowed },
})

async function registerWithCharacter() {
  const admin = await registerAdmin()
  const username = `c-${createId().slice(-12)}`
  const character_id = await addCharacter(db, admin.organization_id, { username })
  const template = (channel_name: string, content = 'Hello', scenario_name = 'evacuation') => ({
    ...{ scenario_name, channel_name, message_templates: [messageOf(character_id, { content })] },
  })
  const fileOf = (names: string[], content = 'Hello', scenario_name = 'evacuation') => {
    const message_templates = [{ sender_username: username, content }]
    const templates = names.map((channel_name) => ({
      scenario_name,
      channel_name,
      message_templates,
    }))
    return { format: 'channel-templates', version: 1, templates }
  }
  return { admin, template, fileOf }
}

const create = ({ token }: Member, body: object) => call('createChannelTemplate', { token, body })
const load = ({ token }: Member, body: object, query: Record<string, string> = {}) =>
  call('importChannelTemplates', { token, body, query })

t.test('A limit of templates', async (t) => {
  t.test('applies to an import as a whole', async (t) => {
    const { admin, fileOf } = await registerWithCharacter()
    await setLimits(db, admin.organization_id, { templates: 2 })
    const before = await rowsWritten(db, admin.organization_id)
    t.match(await load(admin, fileOf(['a', 'b', 'c'])), exceeded('templates', 0, 2))
    t.match(
      await load(admin, fileOf(['a', 'b', 'c']), { dry_run: 'true' }),
      exceeded('templates', 0, 2),
    )
    t.strictSame(await rowsWritten(db, admin.organization_id), before)
    t.match((await load(admin, fileOf(['a', 'b']))).body, { created: 2 })
    t.match((await load(admin, fileOf(['a', 'b'], 'Bye'), { overwrite: 'true' })).body, {
      updated: 2,
    })
  })

  t.test('applies to each scenario of a file', async (t) => {
    const { admin, fileOf } = await registerWithCharacter()
    await setLimits(db, admin.organization_id, { scenario_templates: 2 })
    const one = fileOf(['a', 'b'])
    const two = fileOf(['a', 'b', 'c'], 'Hello', 'move')
    const both = { ...one, templates: [...one.templates, ...two.templates] }
    t.match(await load(admin, both), exceeded('scenario_templates', 0, 2))
    t.equal((await load(admin, one)).status, 200)
    t.equal((await load(admin, fileOf(['a', 'b'], 'Hello', 'move'))).status, 200)
  })

  t.test('applies to a template that moves to another scenario', async (t) => {
    const { admin, template } = await registerWithCharacter()
    const { token, organization_id } = admin
    await setLimits(db, organization_id, { scenario_templates: 1 })
    await create(admin, template('a'))
    const { body } = await create(admin, template('b', 'Hello', 'move'))
    const params = { template_id: body._id }
    const change = { scenario_name: 'evacuation' }
    const answer = await call('updateChannelTemplate', { token, params, body: change })
    t.match(answer, exceeded('scenario_templates', 1, 1))
  })
})

t.test('A limit of template bytes', async (t) => {
  for (const quota of ['template_bytes', 'scenario_template_bytes']) {
    t.test(`applies to ${quota}, when a template is new, replaced or updated`, async (t) => {
      const { admin, template } = await registerWithCharacter()
      const { token, organization_id } = admin
      await setLimits(db, organization_id, { [quota]: 2_000 })
      const long = 'x'.repeat(1_500)
      t.match(await create(admin, template('a', 'x'.repeat(2_000))), exceeded(quota, 0, 2_000))
      const { body } = await create(admin, template('a', long))
      const params = { template_id: body._id }
      const before = await rowsWritten(db, organization_id)
      const longer = template('a', long + long)
      for (const id of ['replaceChannelTemplate', 'updateChannelTemplate'] as const) {
        const answer = await call(id, { token, params, body: longer })
        t.match(answer, exceeded(quota, answer.body.used, 2_000))
        t.ok(answer.body.used > 1_500 && answer.body.used < 2_000)
      }
      t.match(await create(admin, template('b', long)), { status: 409, body: { quota } })
      t.strictSame(await rowsWritten(db, organization_id), before)

      await setLimits(db, organization_id, { [quota]: 100 })
      const shorter = template('a', 'x'.repeat(1_000))
      const answer = await call('updateChannelTemplate', { token, params, body: shorter })
      t.equal(answer.status, 200, 'above a limit a template can still become shorter')
    })
  }
})

t.test('A quick setup', async (t) => {
  const apply = ({ token }: Member, fields = {}) =>
    call('applyQuickSetup', { token, body: { scenario_type: 'hr_workforce', ...fields } })

  const wanted = { people: 3, templates: 1, experiments: 0, quick_setups: 0, quick_setup_bytes: 9 }
  for (const [quota, allowed] of Object.entries(wanted)) {
    t.test(`is applied completely or not at all with a limit of ${quota}`, async (t) => {
      const admin = await registerAdmin()
      const { organization_id } = admin
      await setLimits(db, organization_id, { [quota]: allowed })
      const before = await rowsWritten(db, organization_id)
      const used = quota === 'people' ? 1 : 0
      t.match(await apply(admin), exceeded(quota, used, allowed))
      t.strictSame(await rowsWritten(db, organization_id), before)
      await setLimits(db, organization_id, { [quota]: null })
      t.equal((await apply(admin)).status, 200)
    })
  }

  t.test('keeps what it has replaced only until it is rolled back', async (t) => {
    const { token, organization_id } = await registerAdmin()
    const kept = async () => {
      const { body } = await call('getUsage', { token, params: { organization_id } })
      const limits: { name: string; used: number }[] = body.limits
      return limits.find(({ name }) => name === 'quick_setup_bytes')?.used ?? Number.NaN
    }
    const setUp = async (team_size: number) => {
      const body = { scenario_type: 'hr_workforce', team_size, overwrite_existing: true }
      const { _id } = (await call('applyQuickSetup', { token, body })).body
      return { token, params: { setup_id: _id } }
    }
    const first = await setUp(6)
    const once = await kept()
    const second = await setUp(2)
    const twice = await kept()
    t.ok(twice > once && once > 0)
    t.equal((await call('rollbackQuickSetup', second)).status, 200)
    t.ok((await kept()) < twice)
    t.equal((await call('rollbackQuickSetup', first)).status, 200, 'the one before needs its own')
  })

  t.test('is also rolled back within the limits', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    await apply(admin, { team_size: 6 })
    const { body } = await apply(admin, { team_size: 2 })
    const people = (await call('listUsers', { token })).body.length
    await setLimits(db, organization_id, { people })
    const params = { setup_id: body._id }
    const undo = () => call('rollbackQuickSetup', { token, params })
    t.match(await undo(), exceeded('people', people, people))
    await setLimits(db, organization_id, { people: null })
    t.equal((await undo()).status, 200)
  })
})
