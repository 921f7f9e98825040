import type { Schema } from '../../src/contract.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { apply, preview } = quickSetupsOf(service)

const textsOf = async ({ token }: Member): Promise<string> =>
  JSON.stringify((await call('listChannelTemplates', { token, query: { limit: '500' } })).body)

t.test('A setup that replaces nothing', async (t) => {
  t.test('reports the models of the kept texts, not the requested ones', async (t) => {
    const admin = await registerAdmin()
    const first = await apply(admin, { org_culture: 'market' })
    const before = await textsOf(admin)
    const wanted = {
      org_culture: 'hierarchy',
      knowledge_model: 'siloed',
      overwrite_existing: false,
    }
    const seen = await preview(admin, wanted)
    const second = await apply(admin, wanted)
    t.strictSame(second.models, first.models)
    t.strictSame(seen.models, first.models)
    t.strictSame(seen.warnings, second.warnings)
    t.match(second.warnings, [
      { field: 'org_culture', value: 'market', message: /^Pulls against/ },
      { field: 'org_culture', value: 'hierarchy', message: /^Not applied: .* shows “Market”$/ },
      { field: 'knowledge_model', value: 'siloed', message: /shows “Socialisation”$/ },
    ])
    t.equal(await textsOf(admin), before)
    const { body } = await call('listQuickSetups', { token: admin.token })
    t.strictSame(body[0].models, first.models)
  })

  t.test('adds people with the models of the existing team', async (t) => {
    const admin = await registerAdmin()
    await apply(admin, { team_size: 3, relationship_model: 'authority_ranking' })
    const grown = await apply(admin, { team_size: 6, overwrite_existing: false })
    t.strictSame(grown.warnings, [], 'a request without models has no warning')
    t.equal(grown.created.characters, 3)
    const { body } = await call('listUsers', { token: admin.token, query: { limit: '500' } })
    const edges = (body as Schema<'User'>[]).flatMap(
      ({ metadata }) => (metadata?.relationships as { kind: string }[] | undefined) ?? [],
    )
    t.ok(edges.every(({ kind }) => kind === 'reports_to'))
  })

  t.test('keeps the catalogue version of the existing texts', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    t.equal((await apply(admin, {})).catalogue_version, '2026-3')
    await db
      .updateTable('blueprint_setups')
      .set({ catalogue_version: '2026-1' })
      .where('organization_id', '=', organization_id)
      .execute()
    const kept = await apply(admin, { overwrite_existing: false })
    t.equal(kept.catalogue_version, '2026-1')
    t.match(kept.warnings, [{ field: 'catalogue_version', value: '2026-1' }])
    const renewed = await apply(admin, {})
    t.equal(renewed.catalogue_version, '2026-3')
    t.strictSame(renewed.warnings, [])
    const { body } = await call('listQuickSetups', { token: admin.token })
    const versions = (body as Schema<'QuickSetupRecord'>[]).map((one) => one.catalogue_version)
    t.strictSame(versions, ['2026-3', '2026-1', '2026-3'])
  })
})
