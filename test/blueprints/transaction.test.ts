import { sql } from 'kysely'
import { createId } from '../../src/formats/identifiers.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { whileBroken } from '../helpers/broken-table.js'
import { operationOf } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { objectOf } from '../helpers/walk.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const { request: apply } = quickSetupsOf(service)

const tables = [
  'users',
  'characters',
  'channel_templates',
  'experiments',
  'blueprint_setups',
] as const

async function countRows({ organization_id }: Member) {
  const counts: Record<string, number> = {}
  for (const table of [...tables, 'audit_events'] as const) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(table)}
      where organization_id = ${organization_id}
    `.execute(db)
    counts[table] = rows[0]?.n ?? -1
  }
  return counts
}

/** From now on a setup fails unless it has locked the organization. */
async function refuseSetupsWithoutLock() {
  await sql`
    create function insist() returns trigger language plpgsql as 'begin
      perform from organizations where _id = new.organization_id for no key update nowait;
      return new;
    end'
  `.execute(db)
  await sql`
    create trigger insist before insert on blueprint_setups for each row execute function insist()
  `.execute(db)
}

const kinds = (events: { category: string; event_type: string }[]) =>
  events.map(({ category, event_type }) => `${category}.${event_type}`).toSorted()

t.test('applyQuickSetup', async (t) => {
  t.test('produces one result for five concurrent requests', async (t) => {
    const admin = await registerAdmin()
    const answers = await Promise.all(Array.from({ length: 5 }, () => apply(admin)))
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    const parts = ['character_ids', 'channel_template_ids', 'experiment_id']
    for (const part of parts) {
      const distinct = new Set(answers.map(({ body }) => JSON.stringify(body[part])))
      t.equal(distinct.size, 1, part)
    }
    const made = answers.map(({ body }) => body.created.characters).toSorted()
    t.strictSame(made, [0, 0, 0, 0, 6])
    const { users, characters, experiments, blueprint_setups } = await countRows(admin)
    t.strictSame([users, characters, experiments, blueprint_setups], [7, 6, 1, 1])
  })

  t.test('has no deadlock with concurrent updates', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const { body } = await apply(admin)
    const experiment = { token, params: { experiment_id: body.experiment_id } }
    for (let round = 0; round < 4; round += 1) {
      const answers = await Promise.all([
        apply(admin),
        ...['a', 'b', 'c'].flatMap((letter) => {
          const text = `${letter}${round}`
          const branding = { company_name: text }
          return [
            call('updateBranding', { token, params: { organization_id }, body: branding }),
            call('updateExperiment', { ...experiment, body: { metadata: { [letter]: text } } }),
          ]
        }),
      ])
      for (const { status } of answers) t.equal(status, 200)
    }
  })

  t.test('runs concurrent setups of several scenarios one after another', async (t) => {
    const admin = await registerAdmin()
    await refuseSetupsWithoutLock()
    const scenarios = ['one', 'two', 'three', 'four', 'five']
    const answers = await Promise.all(
      scenarios.map((scenario_type) => apply(admin, { scenario_type, team_size: 20 })),
    )
    t.ok(answers.every(({ status, body }) => status === 200 && body.created.characters === 20))
    t.match(await countRows(admin), { users: 101, experiments: 5, blueprint_setups: 5 })
    const added = answers.map(({ body }) => body.created.departments).toSorted((a, b) => a - b)
    t.ok(added.pop() > 0)
    t.strictSame(added, [0, 0, 0, 0])
  })

  const writeFailures = [
    ['experiments', 'at once'],
    ['channel_templates', 'at once'],
    ['brandings', 'at once'],
    ['audit_events', 'at once'],
    ['blueprint_setups', 'at commit'],
  ] as const
  for (const [table, when] of writeFailures) {
    t.test(`leaves no partial result when a write to ${table} fails ${when}`, async (t) => {
      const admin = await registerAdmin()
      const before = await countRows(admin)
      await whileBroken(db, table, when, async (refused) => {
        const { status, body } = await apply(admin)
        t.ok(refused.includes(status), `${status}`)
        const opaque = { detail: 'Internal Server Error', code: 'internal_server_error' }
        if (status === 500) t.strictSame(body, opaque)
      })
      t.strictSame(await countRows(admin), before)
      t.equal((await apply(admin)).status, 200)
    })
  }

  t.test('keeps the earlier bundle when a replacement fails', async (t) => {
    const admin = await registerAdmin()
    await apply(admin)
    const templates = await call('listChannelTemplates', { token: admin.token })
    const before = await countRows(admin)
    await whileBroken(db, 'experiments', 'at once', async () => {
      const answer = await apply(admin, { team_size: 2, team_topology: 'platform' })
      t.equal(answer.status, 500)
    })
    t.strictSame(await countRows(admin), before)
    t.strictSame((await call('listChannelTemplates', { token: admin.token })).body, templates.body)
  })

  t.test('records an audit event for each kind of object that it changed', async (t) => {
    const admin = await registerAdmin()
    const earlier = await auditEvents(call, admin)
    const headers = { 'x-request-id': 'setup-1' }
    const { body } = await call('applyQuickSetup', { token: admin.token, headers, body: {} })
    const events = (await auditEvents(call, admin)).slice(0, -earlier.length)
    t.strictSame(kinds(events), [
      'blueprint.quick_setup_applied',
      'channel_template.channel_templates_changed',
      'experiment.experiment_created',
      'organization.branding_updated',
      'user.characters_changed',
    ])
    const promised = objectOf(operationOf('applyQuickSetup'))['x-audit-events'] ?? []
    t.strictSame([...kinds(events), 'experiment.experiment_updated'].toSorted(), kinds(promised))
    for (const event of events) {
      t.match(event, { status: 'success', actor_type: 'user', actor_id: admin.user_id })
      t.equal(event.request_id, 'setup-1')
      t.equal(event.metadata?.setup_id, body._id)
      t.notOk('cross_tenant' in (event.metadata ?? {}))
    }
    const of = (type: string) => events.find(({ event_type }) => event_type === type)?.metadata
    const { scenario_type, models, team_size, created } = body
    t.match(of('quick_setup_applied'), { scenario_type, models, team_size, created })
    t.match(of('characters_changed'), { created: 6, updated: 0, removed: 0 })
    t.match(of('channel_templates_changed'), { created: created.channel_templates })
    t.match(of('experiment_created'), { experiment_id: body.experiment_id })
    t.match(of('branding_updated'), { changes: { departments: { from: [], to: ['People'] } } })
  })

  t.test('records what a second application changed', async (t) => {
    const admin = await registerAdmin()
    await apply(admin, { team_size: 4 })
    const earlier = await auditEvents(call, admin)
    const { body } = await apply(admin, { team_size: 3, org_culture: 'market' })
    const events = (await auditEvents(call, admin)).slice(0, -earlier.length)
    t.strictSame(kinds(events), [
      'blueprint.quick_setup_applied',
      'channel_template.channel_templates_changed',
      'experiment.experiment_updated',
      'user.characters_changed',
    ])
    const of = (type: string) => events.find(({ event_type }) => event_type === type)?.metadata
    t.match(of('characters_changed'), { created: 0, updated: 3, removed: 1 })
    const { experiment_id } = body
    const models = { from: { org_culture: 'clan' }, to: { org_culture: 'market' } }
    const [change] = [of('experiment_updated')]
    t.match(change, { experiment_id })
    t.match(change?.changes, {
      metadata: { from: { models: models.from }, to: { models: models.to } },
    })
  })

  t.test('records only the application when there was nothing to add', async (t) => {
    const admin = await registerAdmin()
    await apply(admin)
    const earlier = await auditEvents(call, admin)
    await apply(admin, { overwrite_existing: false })
    const events = (await auditEvents(call, admin)).slice(0, -earlier.length)
    t.strictSame(kinds(events), ['blueprint.quick_setup_applied'])
  })

  t.test('lets a super_admin set up another organization, and records it there', async (t) => {
    const [admin, home] = [await registerAdmin(), await registerAdmin()]
    const operator = await addMember(home.organization_id, 'super_admin')
    const homeBefore = await countRows(home)
    const { organization_id } = admin
    const earlier = await auditEvents(call, admin)
    const { status, body } = await apply(operator, { organization_id })
    t.equal(status, 200)
    t.match(body, { organization_id, applied_by: operator.user_id })
    t.strictSame(await countRows(home), homeBefore)
    const events = (await auditEvents(call, admin)).slice(0, -earlier.length)
    t.equal(events.length, 5)
    for (const { metadata, actor_id, ...event } of events) {
      t.match([metadata?.cross_tenant, actor_id], [true, operator.user_id])
      t.equal(event.organization_id, organization_id)
    }
    t.equal((await apply(operator)).body.organization_id, home.organization_id)
    for (const unknown of [createId(), 'no uuid']) {
      const answer = await apply(operator, { organization_id: unknown })
      t.match(answer, { status: 404, body: { code: 'organization_not_found' } })
    }
  })
})
