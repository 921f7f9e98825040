import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { t } from '../helpers/file.js'

t.test('From before addresses were verified', async (t) => {
  const { db, drop } = await createDatabase({ isMigrated: true })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  const { error } = await createMigrator(db).migrateTo('20261125T1350-trainer-messages')
  t.equal(error, undefined)

  const organization_id = createId()
  await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()
  const accepted_at = '2026-11-20T08:00:00.000Z'

  /** A person with an invitation, whose secret was a link in a mail or a password. */
  async function addInvited(email_sent: boolean, accepted_at: string | null): Promise<string> {
    const user_id = createId()
    const email = `${user_id}@example.com`
    const user = { organization_id, _id: user_id, username: user_id, email, role: 'hr' as const }
    await db.insertInto('users').values(user).execute()
    const invitation = { organization_id, _id: createId(), user_id, email, role: 'hr' as const }
    const times = { expires_at: '2026-11-28T08:00:00.000Z', accepted_at }
    await db
      .insertInto('invitations')
      .values({ ...invitation, ...times, email_sent })
      .execute()
    return user_id
  }
  const byLink = await addInvited(true, accepted_at)
  const byPassword = await addInvited(false, accepted_at)
  const pending = await addInvited(true, null)

  await migrateToLatest(db)
  const { verified_at } = await db
    .selectFrom('organizations')
    .select('verified_at')
    .executeTakeFirstOrThrow()
  t.ok(verified_at, 'the organization sends letters as before')
  const users = await db.selectFrom('users').select(['_id', 'email_verified_at']).execute()
  const verified = new Map(users.map(({ _id, email_verified_at }) => [_id, email_verified_at]))
  t.equal(verified.get(byLink), accepted_at, 'the link of an invitation proves the address')
  t.equal(verified.get(byPassword), null)
  t.equal(verified.get(pending), null)
})
