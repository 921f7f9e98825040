import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const { apply, rollback, usersOf, charactersOf, templatesOf } = quickSetupsOf(service)

const updateExperiment = ({ token }: Member, experiment_id: string, body: object) =>
  call('updateExperiment', { token, params: { experiment_id }, body })
const updateUser = ({ token }: Member, user_id: string, body: object) =>
  call('updateUser', { token, params: { user_id }, body })
const createKey = ({ token }: Member, user_id: string) =>
  call('createApiKey', { token, params: { user_id }, body: { name: 'A client' } })
const small = { team_size: 2 }
const large = { team_size: 4, org_culture: 'market' }

/** Tries a rollback. Returns the reasons of a refusal, or an empty list when it succeeds. */
async function reasonsAgainst(admin: Member, setup_id: string) {
  const before = [await usersOf(admin), await templatesOf(admin)]
  const { status, body } = await rollback(admin, setup_id)
  if (status === 200) return []
  t.match({ status, body }, { status: 409, body: { code: 'setup_in_use' } })
  t.strictSame([await usersOf(admin), await templatesOf(admin)], before, 'nothing has changed')
  return body.reasons
}

t.test('rollbackQuickSetup', async (t) => {
  t.test('undoes applications one by one, the latest first', async (t) => {
    const admin = await registerAdmin()
    const first = await apply(admin, small)
    const [people, templates] = [await usersOf(admin), await templatesOf(admin)]
    const second = await apply(admin, large)
    await apply(admin, { scenario_type: 'another', team_size: 3 })
    const superseded = { code: 'setup_superseded', latest_setup_id: second._id }
    t.match(await rollback(admin, first._id), { status: 409, body: superseded })
    const { status, body } = await rollback(admin, second._id)
    t.equal(status, 200)
    t.match(body, { _id: second._id, rolled_back_by: admin.user_id, created: second.created })
    t.ok(body.rolled_back_at >= body.applied_at)
    const left = (await usersOf(admin)).filter(
      ({ metadata }) => metadata?.scenario_name !== 'another',
    )
    t.strictSame(left, people)
    const own = (await templatesOf(admin)).filter((one) => one.scenario_name !== 'another')
    t.strictSame(own, templates)
    t.match(await rollback(admin, second._id), { status: 409, body: { code: 'setup_rolled_back' } })
    t.equal((await rollback(admin, first._id)).status, 200)
    t.equal((await charactersOf(admin)).length, 3)
    t.match(await apply(admin, small), { created: { characters: 2, experiments: 1 } })
  })

  t.test('is refused after the experiment has left draft', async (t) => {
    const admin = await registerAdmin()
    const { _id, experiment_id } = await apply(admin, small)
    const again = await apply(admin, large)
    await updateExperiment(admin, experiment_id, { name: 'Ours', status: 'running' })
    const reason = { kind: 'experiment', name: 'Baseline vs intervention', reason: 'not_draft' }
    t.strictSame(await reasonsAgainst(admin, again._id), [reason])
    const third = await apply(admin, small)
    t.strictSame(
      await reasonsAgainst(admin, third._id),
      [],
      'a setup that did not change the experiment can be rolled back',
    )
    t.equal((await rollback(admin, _id)).body.code, 'setup_superseded')
  })

  t.test('is refused when people have edited the bundle, and lists every reason', async (t) => {
    const admin = await registerAdmin()
    const first = await apply(admin, small)
    const [one, other] = await charactersOf(admin)
    await updateExperiment(admin, first.experiment_id, { hypothesis: 'Ours' })
    await updateUser(admin, one?._id ?? '', { bio: 'Ours' })
    await createKey(admin, other?._id ?? '')
    const [template] = await templatesOf(admin)
    await db
      .updateTable('channel_templates')
      .set({ message_templates: jsonb([]), updated_at: new Date().toISOString() })
      .where('_id', '=', template?._id ?? '')
      .execute()
    t.strictSame(await reasonsAgainst(admin, first._id), [
      { kind: 'character', name: one?.full_name, reason: 'edited' },
      { kind: 'character', name: other?.full_name, reason: 'has_api_key' },
      { kind: 'channel_template', name: template?.channel_name, reason: 'edited' },
      { kind: 'experiment', name: 'Baseline vs intervention', reason: 'edited' },
    ])
  })

  t.test('is refused after its characters have played in a session', async (t) => {
    const admin = await registerAdmin()
    const { _id, scenario_type: scenario_name } = await apply(admin, { team_size: 4 })
    const people = await charactersOf(admin)
    const body = { name: 'Tuesday', scenario_name }
    const { body: session } = await call('createSession', { ...admin, body })
    const params = { session_id: session._id }
    await call('startSession', { ...admin, params })
    await call('endSession', { ...admin, params })
    const reasons: Schema<'SetupUse'>[] = await reasonsAgainst(admin, _id)
    t.strictSame(
      reasons.map(({ kind, name, reason }) => `${kind} ${name} ${reason}`).toSorted(),
      people.map(({ full_name }) => `character ${full_name} in_session`).toSorted(),
    )
    const { removed, skipped } = await apply(admin, { team_size: 2 })
    t.equal(removed.characters, 0)
    t.strictSame([...new Set(skipped.map(({ reason }) => reason))], ['in_session'])
  })

  t.test('ignores changes of last_seen, and templates that were deleted since', async (t) => {
    const admin = await registerAdmin()
    const { _id } = await apply(admin, small)
    const [template] = await templatesOf(admin)
    const { organization_id } = admin
    const now = new Date().toISOString()
    const ours = db.updateTable('users').where('organization_id', '=', organization_id)
    await ours.set({ last_seen: now }).where('is_bot', '=', true).execute()
    await db
      .deleteFrom('channel_templates')
      .where('_id', '=', template?._id ?? '')
      .execute()
    t.strictSame(await reasonsAgainst(admin, _id), [])
    t.strictSame([await charactersOf(admin), await templatesOf(admin)], [[], []])
  })

  t.test('is refused when a replaced template was deleted, or a name is taken', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    await apply(admin, { ...large, team_size: 12 })
    const [gone, ...others] = await templatesOf(admin)
    const people = await charactersOf(admin)
    const second = await apply(admin, { ...small, org_culture: 'clan', team_topology: 'platform' })
    const left = await templatesOf(admin)
    const removed = others.find(({ _id }) => !left.some((one) => one._id === _id))
    t.ok(left.some(({ _id }) => _id === gone?._id) && removed)
    const { scenario_name, channel_name = '' } = removed ?? {}
    await db
      .deleteFrom('channel_templates')
      .where('_id', '=', gone?._id ?? '')
      .execute()
    const template = { organization_id, _id: createId(), scenario_name, channel_name }
    await db.insertInto('channel_templates').values(template).execute()
    const stranger = await addMember(organization_id, 'employee')
    const { username = '', full_name } = people.at(-1) ?? {}
    await db.updateTable('users').set({ username }).where('_id', '=', stranger.user_id).execute()
    const reasons: object[] = await reasonsAgainst(admin, second._id)
    t.strictSame(
      reasons.map((one) => JSON.stringify(one)).toSorted(),
      [
        { kind: 'character', name: full_name, reason: 'name_taken' },
        { kind: 'channel_template', name: channel_name, reason: 'name_taken' },
        { kind: 'channel_template', name: gone?.channel_name, reason: 'deleted' },
      ]
        .map((one) => JSON.stringify(one))
        .toSorted(),
    )
  })

  t.test('keeps the departments that people have added since', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const branding = (body: object) =>
      call('updateBranding', { token, params: { organization_id }, body })
    await branding({ departments: ['Stockroom'] })
    const { _id } = await apply(admin, { team_size: 12 })
    const { departments } = (await branding({})).body
    t.ok(departments.length > 2)
    await branding({ departments: [...departments, 'Canteen'], company_name: 'Acme & Co' })
    t.equal((await rollback(admin, _id)).status, 200)
    t.match((await branding({})).body, {
      departments: ['Stockroom', 'Canteen'],
      company_name: 'Acme & Co',
    })
  })

  t.test('records its changes in the audit trail', async (t) => {
    const admin = await registerAdmin()
    const first = await apply(admin, small)
    const second = await apply(admin, large)
    const undone: Schema<'AuditEvent'>[][] = []
    for (const { _id } of [second, first]) {
      const earlier = await auditEvents(call, admin)
      await rollback(admin, _id)
      undone.push((await auditEvents(call, admin)).slice(0, -earlier.length))
    }
    const of = (index: number, type: string) =>
      undone[index]?.find(({ event_type }) => event_type === type)?.metadata
    t.match(of(0, 'quick_setup_rolled_back'), {
      setup_id: second._id,
      scenario_type: 'hr_workforce',
      removed: { characters: 2 },
    })
    t.match(of(0, 'characters_changed'), { setup_id: second._id, removed: 2 })
    t.match(of(0, 'channel_templates_changed'), { created: 0 })
    const cultures = {
      from: { models: { org_culture: 'market' } },
      to: { models: { org_culture: 'clan' } },
    }
    t.match(of(0, 'experiment_updated'), { changes: { metadata: cultures } })
    const { experiment_id } = first
    t.match(of(1, 'experiment_deleted'), { experiment_id, name: 'Baseline vs intervention' })
    t.match(of(1, 'branding_updated'), { changes: { departments: { to: [] } } })
    t.equal(of(0, 'experiment_deleted'), undefined)
  })

  t.test('leaves one consistent state after concurrent changes', async (t) => {
    for (let round = 0; round < 3; round += 1) {
      const admin = await registerAdmin()
      const { _id } = await apply(admin, small)
      const [, , { status, body }] = await Promise.all([
        apply(admin, large),
        apply(admin, { team_size: 6 }),
        rollback(admin, _id),
      ])
      t.ok(status === 200 || body.code === 'setup_superseded', body.code)
      const { body: setups } = await call('listQuickSetups', { token: admin.token })
      for (const setup of setups.filter((one: Schema<'QuickSetupRecord'>) => !one.rolled_back_at)) {
        t.equal((await rollback(admin, setup._id)).status, 200)
      }
      t.strictSame([await charactersOf(admin), await templatesOf(admin)], [[], []])
    }
  })
})

t.test('applyQuickSetup', async (t) => {
  t.test('does not remove a character that has an API key, and reports it', async (t) => {
    const admin = await registerAdmin()
    const { character_ids } = await apply(admin, { team_size: 4 })
    const kept = character_ids[3] ?? ''
    await createKey(admin, kept)
    const { removed, skipped } = await apply(admin, { team_size: 2 })
    t.equal(removed.characters, 1)
    const people = await charactersOf(admin)
    t.strictSame(
      people.map(({ _id }) => _id).toSorted(),
      [...character_ids.slice(0, 2), kept].toSorted(),
    )
    const name = people.find(({ _id }) => _id === kept)?.full_name
    t.strictSame(skipped, [{ kind: 'character', name, reason: 'has_api_key' }])
  })
})
