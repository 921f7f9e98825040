import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { t } from '../helpers/file.js'

t.test('Addresses from when bots had them to themselves', async (t) => {
  const { db, drop } = await createDatabase({ isMigrated: true })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  const { error } = await createMigrator(db).migrateTo('20261126T1310-lost-refreshes')
  t.equal(error, undefined)

  const organization_id = createId()
  await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()
  for (const role of ['bot', 'employee'] as const) {
    const [user_id, email] = [createId(), `${role}@example.com`]
    const user = { organization_id, _id: user_id, username: role, email, role }
    await db
      .insertInto('users')
      .values({ ...user, is_bot: role === 'bot' })
      .execute()
    await db.insertInto('email_registry').values({ email, organization_id, user_id }).execute()
  }

  await migrateToLatest(db)
  const rows = await db.selectFrom('email_registry').select('email').execute()
  t.strictSame(rows, [{ email: 'employee@example.com' }], 'a person keeps theirs')
})
