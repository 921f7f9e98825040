import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { t } from '../helpers/file.js'

t.test('Sessions from before their bytes were counted', async (t) => {
  const { db, drop } = await createDatabase({ isMigrated: true })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  const before = '20261126T1100-email-verification'
  const { error } = await createMigrator(db).migrateTo(before)
  t.equal(error, undefined)

  const organization_id = createId()
  await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()

  /** A session that has planned two lines and posted the first one. */
  async function addSession(status: 'running' | 'completed'): Promise<string> {
    const session_id = createId()
    const kind = { timing: 'drill', speed: 1, mode: 'scripted', status } as const
    const session = { organization_id, _id: session_id, name: 'Tuesday', scenario_name: 'play' }
    await db
      .insertInto('simulation_sessions')
      .values({ ...session, ...kind })
      .execute()
    const place = { organization_id, session_id, conversation_id: createId() }
    const line = { ...place, channel_id: createId(), sender_id: 'a character', offset_ms: 0 }
    const texts = ['Hello.', 'Zoë?']
    const lines = texts.map((content, position) => ({ ...line, content, position, beat: 'one' }))
    await db.insertInto('session_plan').values(lines).execute()
    const posted = { seq: 1, _id: createId(), sender_kind: 'character' } as const
    await db
      .insertInto('session_messages')
      .values({ ...line, ...posted, content: 'Hello.' })
      .execute()
    return session_id
  }
  const [running, ended] = [await addSession('running'), await addSession('completed')]
  const empty = { organization_id, _id: createId(), name: 'Draft', scenario_name: 'play' }
  await db
    .insertInto('simulation_sessions')
    .values({ ...empty, timing: 'drill', speed: 1, mode: 'scripted', status: 'draft' })
    .execute()

  await migrateToLatest(db)
  const rows = await db
    .selectFrom('simulation_sessions')
    .select(['_id', 'plan_bytes', 'stored_bytes'])
    .execute()
  const bytes = new Map(rows.map(({ _id, ...counts }) => [_id, counts]))
  const plan_bytes = 300 + 6 + 3 + (300 + 5 + 3)
  t.strictSame(bytes.get(running), { plan_bytes, stored_bytes: 306 }, 'its plan is still needed')
  t.strictSame(bytes.get(ended), { plan_bytes: 0, stored_bytes: 306 }, 'its plan is gone')
  t.strictSame(bytes.get(empty._id), { plan_bytes: 0, stored_bytes: 0 })
  const plans = await db.selectFrom('session_plan').select('session_id').distinct().execute()
  t.strictSame(plans, [{ session_id: running }])
})
