import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { call, registerAdmin, addMember } = await startService(t)
const lastAdmin = {
  code: 'last_admin',
  detail: 'The last active administrator cannot be demoted or deactivated',
}
const update = (as: Member, { user_id }: { user_id: string }, body: unknown) =>
  call('updateUser', { token: as.token, params: { user_id }, body })
const me = async ({ token }: { token: string }) => (await call('getCurrentUser', { token })).status
const eventsOf = async (admin: Member) =>
  (await auditEvents(call, admin, { category: 'user' })).map(
    ({ event_type, actor_id, metadata }) => ({ event_type, actor_id, ...metadata }),
  )

t.test('updateUser', async (t) => {
  t.test('records each kind of change once, and nothing without changes', async (t) => {
    const admin = await registerAdmin()
    const { user_id: actor_id } = admin
    const { user_id, ...member } = await addMember(admin.organization_id, 'employee')
    const target = { user_id, ...member }
    const body = { bio: 'Counts.', role: 'hr', is_active: false }
    await update(admin, target, body)
    const { body: before } = await call('getUser', { token: admin.token, params: { user_id } })
    t.strictSame((await update(admin, target, body)).body, before)
    t.strictSame((await update(admin, target, {})).body, before)
    await update(admin, target, { is_active: true })
    const [last, ...earlier] = await eventsOf(admin)
    const event = { actor_id, user_id }
    const activity = (from: boolean) => ({ is_active: { from, to: !from } })
    t.strictSame(last, { ...event, event_type: 'user_reactivated', changes: activity(false) })
    const byType = (one: { event_type: string }, other: { event_type: string }) =>
      one.event_type < other.event_type ? -1 : 1
    t.strictSame(earlier.sort(byType), [
      { ...event, event_type: 'user_deactivated', changes: activity(true) },
      {
        ...event,
        event_type: 'user_role_changed',
        changes: { role: { from: 'employee', to: 'hr' } },
      },
      {
        ...event,
        event_type: 'user_updated',
        changes: { bio: { from: null, to: 'Counts.' } },
      },
    ])
  })

  t.test('refuses the roles admin and hr for a user with a temporary password', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    const hr = await addMember(organization_id, 'hr')
    const email = `tom.${hr.user_id}@example.com`
    const body = { email, first_name: 'Tom', last_name: 'Herrera' }
    const params = { organization_id }
    const { body: invited } = await call('inviteMember', { token: hr.token, params, body })
    const { _id: user_id } = invited.user
    const refused = { status: 409, body: { code: 'temporary_password' } }
    for (const role of ['admin', 'hr']) {
      t.match(await update(admin, { user_id }, { role, bio: 'Counts.' }), refused)
    }
    const superAdmin = await addMember(organization_id, 'super_admin')
    t.match(await update(superAdmin, { user_id }, { role: 'admin' }), refused)
    t.match(await update(admin, { user_id }, { role: 'executive' }), { status: 200 })
    t.equal((await eventsOf(admin)).length, 1)

    const { temporary_password: current_password } = invited
    const grant = await call('login', { body: { email, password: current_password } })
    const change = { current_password, new_password: 'a password of my own' }
    await call('changePassword', { token: grant.body.access_token, body: change })
    t.match(await update(admin, { user_id }, { role: 'admin' }), { body: { role: 'admin' } })
  })

  t.test('applies the rights of a new role immediately, more or fewer', async (t) => {
    const admin = await registerAdmin()
    const params = { organization_id: admin.organization_id }
    const member = await addMember(admin.organization_id, 'employee')
    const reads = async () =>
      (await call('listAuditEvents', { token: member.token, params })).status
    t.equal(await reads(), 403)
    await update(admin, member, { role: 'admin' })
    t.equal(await reads(), 200)
    await update(admin, member, { role: 'executive' })
    t.equal(await reads(), 403)
  })

  t.test('ends the sessions of a deactivated user immediately and permanently', async (t) => {
    const admin = await registerAdmin()
    const other = await registerAdmin()
    const member = await addMember(other.organization_id, 'admin')
    const { body: grant } = await call('login', {
      body: { email: other.email, password: other.password },
    })
    const session = { token: grant.access_token }
    for (const one of [other, session]) t.equal(await me(one), 200)
    t.equal((await update(member, other, { is_active: false })).status, 200)
    for (const one of [other, session]) t.equal(await me(one), 401)
    const { refresh_token } = grant
    t.equal((await call('refreshToken', { body: { refresh_token } })).status, 401)
    const body = { email: other.email, password: other.password }
    t.equal((await call('login', { body })).status, 401)

    t.equal((await update(member, other, { is_active: true })).status, 200)
    for (const one of [other, session]) t.equal(await me(one), 401)
    t.equal((await call('refreshToken', { body: { refresh_token } })).status, 401)
    t.equal((await call('login', { body })).status, 200)
    t.equal(await me(admin), 200)
  })

  t.test('protects the last active admin', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    const operator = await addMember((await registerAdmin()).organization_id, 'super_admin')
    const second = await addMember(organization_id, 'admin')
    await addMember(organization_id, 'super_admin')
    await update(admin, second, { is_active: false })
    for (const as of [admin, operator]) {
      for (const body of [{ role: 'hr' }, { is_active: false }, { role: 'employee', bio: 'x' }]) {
        const answer = await update(as, admin, body)
        t.equal(answer.status, 409)
        t.strictSame(answer.body, lastAdmin)
      }
    }
    t.match((await update(admin, admin, { role: 'admin', is_active: true, bio: 'y' })).body, {
      role: 'admin',
      is_active: true,
      bio: 'y',
    })
    t.equal((await update(admin, second, { role: 'employee' })).status, 200)
    await update(admin, second, { role: 'admin', is_active: true })
    t.equal((await update(admin, admin, { role: 'hr' })).status, 200)
  })

  t.test('does not count an admin who has never logged in', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const names = { first_name: 'Tomás', last_name: 'Herrera' }
    const body = { ...names, email: `second-${admin.user_id}@example.com`, access_level: 'admin' }
    const params = { organization_id }
    const { body: invited } = await call('inviteMember', { token, params, body })
    t.strictSame((await update(admin, admin, { role: 'hr' })).body, lastAdmin)

    const { temporary_password: current_password } = invited
    const login = { email: body.email, password: current_password }
    const { access_token } = (await call('login', { body: login })).body
    const change = { current_password, new_password: 'a password of my own' }
    await call('changePassword', { token: access_token, body: change })
    t.equal((await update(admin, admin, { role: 'hr' })).status, 200)
  })

  for (const body of [{ role: 'employee' }, { is_active: false }]) {
    const what = Object.keys(body)
    t.test(`keeps one of two admins who change each other's ${what} concurrently`, async (t) => {
      for (let round = 0; round < 10; round++) {
        const one = await registerAdmin()
        const other = await addMember(one.organization_id, 'admin')
        for (const admin of [one, other]) await me(admin)
        const answers = await Promise.all([update(one, other, body), update(other, one, body)])
        const statuses = answers.map(({ status }) => status).sort()
        const [winner, loser] = statuses
        t.equal(winner, 200)
        t.ok([401, 403, 409].includes(loser ?? 0))
        const remaining = answers[0].status === 200 ? one : other
        const { body: users } = await call('listUsers', { token: remaining.token })
        const isAdmin = (user: { role: string; is_active: boolean }) =>
          user.role === 'admin' && user.is_active
        t.strictSame(users.filter(isAdmin).length, 1)
      }
    })
  }
})
