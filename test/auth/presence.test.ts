import { startAnotherProcess } from '../helpers/another-process.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const { app, call, db, registerAdmin, addMember } = await startService(t)
const other = await startAnotherProcess(t, db)
const admin = await registerAdmin()
const { token, organization_id } = admin
const me = async (member: Member) => (await call('getCurrentUser', { token: member.token })).status
const update = (user_id: string, body: object) =>
  call('updateUser', { token, params: { user_id }, body })
const invitations = ({ token }: Member) =>
  call('listInvitations', { token, params: { organization_id } })
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

t.test('A change of role', async (t) => {
  t.test('applies from the next request, with the current token', async (t) => {
    const member = await addMember(organization_id, 'hr')
    t.equal((await invitations(member)).status, 200)
    t.equal((await update(member.user_id, { role: 'employee' })).status, 200)
    t.equal((await invitations(member)).status, 403)
    t.equal((await update(member.user_id, { role: 'hr' })).status, 200)
    t.equal((await invitations(member)).status, 200)
  })
})

t.test('A deactivation', async (t) => {
  t.test('applies from the next request, in other processes after the next check', async (t) => {
    const member = await addMember(organization_id, 'employee')
    t.equal(await me(member), 200)
    t.equal(await other.me(member.token), 200)
    t.equal((await update(member.user_id, { is_active: false })).status, 200)
    t.equal(await me(member), 401)
    other.forget(member.user_id)
    t.equal(await other.me(member.token), 401)
    t.equal((await update(member.user_id, { is_active: true })).status, 200)
  })
})

t.test('last_seen', async (t) => {
  const lastSeen = async ({ user_id }: Member) =>
    (await call('getUser', { token, params: { user_id } })).body.last_seen

  async function requestWithLastSeen(member: Member, before: string | null) {
    await db
      .updateTable('users')
      .set({ last_seen: before })
      .where('_id', '=', member.user_id)
      .execute()
    const stored = await lastSeen(member)
    app.authenticator.invalidate(member.user_id)
    const start = Date.now()
    await me(member)
    return { stored, start }
  }

  for (const [description, before] of [
    ['is set by the first request', null],
    ['moves on when it is older than five minutes', minutesAgo(6)],
  ] as const) {
    t.test(description, async (t) => {
      const member = await addMember(organization_id, 'employee')
      const { stored, start } = await requestWithLastSeen(member, before)
      await until(async () => (await lastSeen(member)) !== stored)
      t.ok(Math.abs(Date.parse(await lastSeen(member)) - start) < 60_000)
    })
  }

  t.test('stays the same when it is younger than five minutes', async (t) => {
    const member = await addMember(organization_id, 'employee')
    const { stored } = await requestWithLastSeen(member, minutesAgo(4))
    t.type(stored, 'string')
    // When the time of a later user is stored, that of the first would be stored as well.
    const follower = await addMember(organization_id, 'employee')
    await me(follower)
    await until(async () => (await lastSeen(follower)) !== null)
    t.equal(await lastSeen(member), stored)
  })
})
