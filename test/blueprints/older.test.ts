import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { apply, rollback, templatesOf } = quickSetupsOf(service)
const { create, change, messages } = sessionsOf(service)

/** The rows of a setup of hr_workforce for two people, as the service stored them with a catalogue. */
const fixtureOf = (version: string) => readFileSync(`test/fixtures/setup-${version}.json`, 'utf8')
const older = (version: string) => {
  const rows = JSON.parse(fixtureOf(version))
  return { rows, record: rows.quick_setups[0] }
}
const tables = ['blueprint_setups', 'users', 'characters', 'channel_templates', 'experiments']

/** An organization that was set up with that catalogue. */
async function withOlderSetup(version: string): Promise<Member> {
  const { record } = older(version)
  const admin = await registerAdmin()
  const { organization_id } = admin
  const [branding] = record.changes.departments
  const rows = JSON.parse(
    fixtureOf(version)
      .replaceAll(record.applied_by, admin.user_id)
      .replaceAll(branding._id, organization_id),
  )
  for (const table of [...tables, 'quick_setups']) {
    const own = rows[table].map((row: object) => ({ organization_id, ...row }))
    const name = sql.table(table)
    const columns = sql.join(Object.keys(own[0]).map((column) => sql.ref(column)))
    await sql`insert into ${name} (${columns}) select ${columns}
      from jsonb_populate_recordset(null::${name}, ${JSON.stringify(own)}::jsonb)`.execute(db)
  }
  const [{ after }] = rows.quick_setups[0].changes.departments
  await db
    .updateTable('brandings')
    .set({
      departments: jsonb(after.departments),
      updated_at: after.updated_at,
    })
    .where('organization_id', '=', organization_id)
    .execute()
  return admin
}

const textsOf = async (admin: Member) =>
  (await templatesOf(admin)).map(({ channel_name, message_templates }) => [
    channel_name,
    message_templates,
  ])

for (const version of ['2026-1', '2026-2'])
  t.test(`A setup of the catalogue ${version}`, async (t) => {
    const { rows: olderRows, record } = older(version)
    const withSetup = () => withOlderSetup(version)
    t.test('is read as before, and shows its version', async (t) => {
      const admin = await withSetup()
      const { body } = await call('listQuickSetups', { token: admin.token })
      t.match(body, [{ _id: record._id, catalogue_version: version, models: record.models }])
      const params = { setup_id: record._id }
      const { status, body: details } = await call('getQuickSetup', { token: admin.token, params })
      t.equal(status, 200)
      t.equal(details.catalogue_version, version)
      t.equal((await templatesOf(admin)).length, olderRows.channel_templates.length)
    })

    t.test('adds the missing characters, and keeps its texts', async (t) => {
      const admin = await withSetup()
      const before = await textsOf(admin)
      const grown = await apply(admin, { team_size: 3, overwrite_existing: false })
      t.equal(grown.catalogue_version, version)
      t.match(grown.warnings, [{ field: 'catalogue_version', value: version }])
      t.equal(grown.created.characters, 1)
      const after = new Map((await templatesOf(admin)).map((one) => [one.channel_name, one]))
      for (const [channel_name, messages] of before) {
        t.strictSame(after.get(String(channel_name))?.message_templates, messages)
      }
    })

    t.test('is replaced by a setup of the current catalogue, and can be restored', async (t) => {
      const admin = await withSetup()
      const before = await textsOf(admin)
      const renewed = await apply(admin, { team_size: 2 })
      t.equal(renewed.catalogue_version, '2026-3')
      t.strictSame(renewed.warnings, [])
      t.strictSame(
        renewed.character_ids.toSorted(),
        olderRows.characters.map((one: { user_id: string }) => one.user_id).toSorted(),
      )
      t.strictNotSame(await textsOf(admin), before)
      t.equal((await rollback(admin, renewed._id)).status, 200)
      t.strictSame(await textsOf(admin), before)
    })

    t.test('can itself be rolled back', async (t) => {
      const admin = await withSetup()
      t.equal((await rollback(admin, record._id)).status, 200)
      t.strictSame(await templatesOf(admin), [])
      const { body } = await call('listUsers', { token: admin.token })
      t.strictSame(
        body.filter((user: Schema<'User'>) => user.is_bot),
        [],
      )
    })

    t.test('plays with its own texts', async (t) => {
      const admin = await withSetup()
      const session = await create(admin, { scenario_name: 'hr_workforce' })
      await change('startSession', admin, session)
      const { body } = await call('getBriefing', {
        token: admin.token,
        params: { session_id: session._id },
      })
      const facilitator = { artefacts: [], debrief: [] }
      t.match(body, { situation: null, observer: [], facilitator })
      const said = (await messages(session)).map(({ content }) => content)
      t.ok(said.length > 0)
      const own = JSON.stringify(olderRows.channel_templates)
      t.strictSame(
        said.filter((content) => !own.includes(JSON.stringify(content).slice(1, -1))),
        [],
      )
    })
  })
