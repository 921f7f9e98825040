import { sql } from 'kysely'
import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { skipCluster } from '../helpers/skips.js'

const service = await startService(t)
const { call, db, request, registerAdmin, addMember } = service
const { apply, preview } = quickSetupsOf(service)
type SetupRecord = Schema<'QuickSetupRecord'>

const list = async ({ token }: Member, query = {}): Promise<SetupRecord[]> =>
  (await call('listQuickSetups', { token, query })).body
const idsOf = (records: { _id: string }[]) => records.map(({ _id }) => _id)
const none = { characters: 0, channel_templates: 0, experiments: 0, departments: 0 }

t.test('listQuickSetups', async (t) => {
  const admin = await registerAdmin()
  const applied: Schema<'QuickSetupResult'>[] = []
  for (const scenario_type of ['one', 'two', 'one', 'one', 'two']) {
    applied.unshift(await apply(admin, { scenario_type, team_size: 1, metadata: { round: 1 } }))
  }

  t.test('lists every application, newest first, with its original answer', async (t) => {
    const records = await list(admin)
    t.strictSame(
      records,
      applied.map((result) => {
        const { skipped, character_ids, channel_template_ids, ...rest } = result
        const { experiment_id, template_payload, warnings, ...record } = rest
        return { ...record, rolled_back_at: null, rolled_back_by: null }
      }),
    )
    t.equal(new Set(idsOf(records)).size, 5, 'each has its own _id')
  })

  t.test('lists the applications of one scenario', async (t) => {
    const one = applied.filter(({ scenario_type }) => scenario_type === 'one')
    t.strictSame(idsOf(await list(admin, { scenario_type: 'one' })), idsOf(one))
    t.strictSame(await list(admin, { scenario_type: 'three' }), [])
    t.equal((await list(admin, { scenario_type: '', organization_id: '' })).length, 5)
  })

  t.test('lists each application once, page by page, while others are added', async (t) => {
    const other = await registerAdmin()
    const made: string[] = []
    for (let i = 0; i < 5; i += 1) made.unshift((await apply(other, { team_size: 1 }))._id)
    const operator = await addMember(other.organization_id, 'super_admin')
    for (const { token } of [other, operator]) {
      const found: string[] = []
      const limit = token === other.token ? 2 : 7
      let next = `/api/v1/admin/simulation/quick-setups?limit=${limit}`
      for (let pages = 0; next && pages < 100; pages += 1) {
        const page = await request(next, { headers: { authorization: `Bearer ${token}` } })
        found.push(...idsOf(page.body))
        next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
        if (pages === 0 && token === other.token) await apply(other, { team_size: 1 })
      }
      t.equal(new Set(found).size, found.length)
      t.strictSame(
        found.filter((_id) => made.includes(_id)),
        made,
      )
      t.equal(
        idsOf(applied).every((_id) => found.includes(_id)),
        token === operator.token,
      )
    }
    const { token } = other
    const { status } = await call('listQuickSetups', { token, query: { cursor: 'nonsense' } })
    t.equal(status, 422)
  })

  t.test('shows another organization only to a super_admin', async (t) => {
    const { organization_id } = admin
    const stranger = await registerAdmin()
    const { token } = stranger
    const foreign = await call('listQuickSetups', { token, query: { organization_id } })
    t.match(foreign, { status: 404, body: { code: 'organization_not_found' } })
    const operator = await addMember(stranger.organization_id, 'super_admin')
    t.strictSame(idsOf(await list(operator, { organization_id })), idsOf(applied))
    t.strictSame(
      idsOf(await list(operator, { organization_id, limit: '2' })),
      idsOf(applied.slice(0, 2)),
    )
  })
})

t.test('getQuickSetup', async (t) => {
  t.test('shows what an application replaced and removed', async (t) => {
    const admin = await registerAdmin()
    await apply(admin, { team_size: 3 })
    const body = { team_size: 2, org_culture: 'market', pressure_model: 'our own' }
    const result = await apply(admin, body)
    const params = { setup_id: result._id }
    const { body: details } = await call('getQuickSetup', { token: admin.token, params })
    const { template_payload, ...shown } = result
    t.match(details, shown)
    t.match(details.warnings, [
      { field: 'org_culture', value: 'market', message: /^Pulls against relationship model “/ },
      { field: 'pressure_model', value: 'our own' },
    ])
    const changes: Schema<'QuickSetupChange'>[] = details.changes
    const count = (kind: string, action: string) =>
      changes.filter((one) => one.kind === kind && one.action === action).length
    t.equal(count('character', 'removed'), 1)
    t.equal(count('character', 'replaced'), 2)
    t.equal(count('channel_template', 'replaced'), result.updated.channel_templates)
    const experiment = changes.find(({ kind }) => kind === 'experiment')
    t.match(experiment, { action: 'replaced', _id: result.experiment_id, fields: ['metadata'] })
  })

  t.test('answers 404 for an unknown application', async (t) => {
    const { token } = await registerAdmin()
    const params = { setup_id: createId() }
    for (const operation of ['getQuickSetup', 'rollbackQuickSetup'] as const) {
      const { status, body } = await call(operation, { token, params })
      t.strictSame([status, body.code], [404, 'setup_not_found'])
    }
  })
})

t.test('previewQuickSetup', async (t) => {
  t.test('returns what an application would return, without an _id', async (t) => {
    const admin = await registerAdmin()
    const body = { team_size: 3, include_template_payload: true, metadata: { cohort: 'spring' } }
    const first = await preview(admin, body)
    t.match(first, { _id: null, applied_at: null, applied_by: null, metadata: body.metadata })
    t.match(first.created, { characters: 3, experiments: 1 })
    t.equal(first.template_payload?.characters.length, 3)
    t.strictSame(first.would_update, [])
    const names = ({ would_create }: typeof first, wanted: string) =>
      would_create.filter(({ kind }) => kind === wanted).map(({ name }) => name)
    t.strictSame(names(first, 'department'), ['People'])

    await apply(admin, body)
    const again = await preview(admin, body)
    t.strictSame(again.created, none)
    t.ok(again.would_update.length > 4)
    t.ok(again.would_update.every(({ fields }) => fields.length === 0))
    const changed = { ...body, team_size: 2, org_culture: 'market' }
    const expected = await preview(admin, changed)
    const result = await apply(admin, changed)
    const timeless = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (key, item) => (key === 'updated_at' ? null : item))
    t.strictSame(timeless(expected.template_payload), timeless(result.template_payload))
    t.strictSame(expected.character_ids, result.character_ids)
    t.strictSame(expected.would_remove.length, 1)
  })
})

t.test('applyQuickSetup', async (t) => {
  t.test('writes nothing that already has the right value', async (t) => {
    const admin = await registerAdmin()
    const { token } = admin
    await apply(admin)
    const before = [
      await call('listUsers', { token }),
      await call('listChannelTemplates', { token }),
    ]
    const { updated } = await apply(admin)
    const now = [await call('listUsers', { token }), await call('listChannelTemplates', { token })]
    t.strictSame(
      now.map(({ body }) => body),
      before.map(({ body }) => body),
    )
    t.equal(updated.characters, 6)
  })

  t.test(
    'checks again when another request takes a name at the same time',
    { skip: skipCluster },
    async (t) => {
      const admin = await registerAdmin()
      await sql`create sequence attempts_to_insert`.execute(db)
      await sql`
      create function fail_first_insert() returns trigger language plpgsql as $$ begin
        if nextval('attempts_to_insert') = 1 then
          raise unique_violation using constraint = 'channel_templates_channel_unique';
        end if;
        return new;
      end $$`.execute(db)
      await sql`
      create trigger fail_first_insert before insert on channel_templates
      for each row execute function fail_first_insert()`.execute(db)
      const { status } = await call('applyQuickSetup', { token: admin.token, body: {} })
      await sql`drop trigger fail_first_insert on channel_templates`.execute(db)
      t.equal(status, 200)
      t.equal((await list(admin)).length, 1)
    },
  )
})
