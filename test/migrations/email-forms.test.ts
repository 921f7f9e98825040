import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { t } from '../helpers/file.js'

t.test('Addresses from before they had one form', async (t) => {
  const { db, drop } = await createDatabase({ isMigrated: true })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  const { error } = await createMigrator(db).migrateTo('20261126T1210-setup-bytes')
  t.equal(error, undefined)

  const organization_id = createId()
  const add = async (email: string) => {
    const user_id = createId()
    await db.insertInto('email_registry').values({ email, organization_id, user_id }).execute()
    return user_id
  }
  const plain = await add('mei@example.com')
  const decomposed = await add('jürgen@example.com'.normalize('NFD'))
  const pasted = await add('<mailto:ada@example.com>;')
  const hidden = await add('o\u00adle@example.com\u200b')
  const international = await add('ada@müller.example')
  const first = await add('zoë@example.com')
  const second = await add('zoë@example.com'.normalize('NFD'))

  await migrateToLatest(db)
  const rows = await db.selectFrom('email_registry').select(['user_id', 'email']).execute()
  t.strictSame(Object.fromEntries(rows.map(({ user_id, email }) => [user_id, email])), {
    [plain]: 'mei@example.com',
    [decomposed]: 'jürgen@example.com'.normalize('NFC'),
    [pasted]: 'ada@example.com',
    [hidden]: 'ole@example.com',
    [international]: 'ada@xn--mller-kva.example',
    [first]: 'zoë@example.com',
    [second]: 'zoë@example.com'.normalize('NFD'),
  })
})
