import { randomUUID } from 'node:crypto'
import type { Role } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin({ organization_name: 'Acme' })
const { token, organization_id } = admin
const params = { organization_id }

const required = () => ({
  first_name: 'Tomás',
  last_name: 'Herrera',
  email: `${randomUUID()}@example.com`,
})
const invite = (fields: Record<string, unknown> = {}, as = { token }, to = params) =>
  call('inviteMember', { token: as.token, params: to, body: { ...required(), ...fields } })
const login = (email: string, password: string) => call('login', { body: { email, password } })

t.test('inviteMember', async (t) => {
  t.test('creates an employee with the default workdays', async (t) => {
    const email = ` Tomas.${randomUUID()}@Example.com `
    const body = { first_name: ' Tomás ', last_name: ' Herrera ', email }
    const answer = await call('inviteMember', { token, params, body })
    t.equal(answer.status, 201)
    t.equal(answer.headers.get('cache-control'), 'no-store')
    const { user, organization_name, email_sent, temporary_password } = answer.body
    t.strictSame([organization_name, email_sent], ['Acme', false])
    t.match(temporary_password, /^[2-9A-HJ-NP-Za-km-z]{24}$/)
    t.match(user, { organization_id, email: email.trim(), username: /^tomas\.[a-f0-9-]+$/ })
    t.match(user, { full_name: 'Tomás Herrera', role: 'employee', is_bot: false, is_active: true })
    t.strictSame(user.career_goals, {})
    t.strictSame(user.metadata, {
      workdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      work_hours: { start: '09:00', end: '17:00' },
    })
    const { body: users } = await call('listUsers', { token })
    t.strictSame(
      users.find(({ _id }: { _id: string }) => _id === user._id),
      user,
    )
  })

  t.test('keeps job title and department, and leaves workdays out on request', async (t) => {
    const { body } = await invite({
      job_title: 'Payroll specialist',
      department: 'People',
      auto_assign_default_workdays: false,
    })
    t.strictSame(body.user.career_goals, {
      current_role: 'Payroll specialist',
      department: 'People',
    })
    t.strictSame(body.user.metadata, {})
  })

  t.test('treats null as absent where the contract says so, and nowhere else', async (t) => {
    const { status, body } = await invite({ job_title: null, department: null, access_level: null })
    t.equal(status, 201)
    t.strictSame([body.user.role, body.user.career_goals], ['employee', {}])

    const nulls = { first_name: null, last_name: null, auto_assign_default_workdays: null }
    const refused = await invite(nulls)
    t.equal(refused.status, 422)
    const types = refused.body.detail.map((fault: { type: string }) => fault.type)
    t.strictSame(types.sort(), ['bool_type', 'string_type', 'string_type'])
  })

  const roles: Record<string, Role> = {
    employee: 'employee',
    member: 'employee',
    user: 'employee',
    standard: 'employee',
    manager: 'executive',
    lead: 'executive',
    executive: 'executive',
    hr: 'hr',
    human_resources: 'hr',
    admin: 'admin',
    administrator: 'admin',
    bot: 'bot',
  }
  for (const [access_level, role] of Object.entries(roles)) {
    t.test(`makes ${access_level} a ${role}, in upper or lower case`, async (t) => {
      for (const text of [access_level, access_level.toUpperCase()]) {
        const { status, body } = await invite({ access_level: text })
        t.equal(status, 201)
        t.match(body.user, { role, is_bot: role === 'bot' })
        t.notOk('access_level' in body.user.metadata)
      }
    })
  }

  for (const access_level of ['super_admin', 'Chief of Fun', 'owner', 'constructor']) {
    t.test(`grants the least privilege for "${access_level}" and keeps the text`, async (t) => {
      const { body } = await invite({ access_level })
      t.match(body.user, { role: 'employee', metadata: { access_level } })
    })
  }

  const levels = { employee: 'member', executive: 'lead', hr: 'hr', admin: 'admin', bot: 'bot' }
  const grants: Partial<Record<Role, string[]>> = {
    super_admin: ['employee', 'executive', 'hr', 'admin', 'bot'],
    admin: ['employee', 'executive', 'hr', 'admin', 'bot'],
    hr: ['employee', 'executive'],
  }
  for (const [inviter, grantable = []] of Object.entries(grants)) {
    t.test(`lets ${inviter} grant ${grantable.join(', ')}`, async (t) => {
      const member = await addMember(organization_id, inviter as Role)
      for (const [role, access_level] of Object.entries(levels)) {
        const { status, body } = await invite({ access_level }, member)
        t.equal(status, grantable.includes(role) ? 201 : 403, role)
        if (status === 201) continue
        t.match(body, { detail: 'Not enough permissions', code: 'insufficient_role' })
        t.notOk(body.required_roles.includes(inviter))
      }
    })
  }

  t.test('gives a bot neither a password nor a login', async (t) => {
    const { body } = await invite({ access_level: 'bot' })
    t.strictSame([body.email_sent, body.temporary_password], [false, null])
    const { _id, email } = body.user
    const held = db.selectFrom('credentials').select('user_id').where('user_id', '=', _id)
    t.strictSame(await held.execute(), [])
    t.equal((await login(email, 'anything at all')).status, 401)
  })

  t.test('leaves the address of a bot to people and other bots', async (t) => {
    const { email } = required()
    const bots = [
      await invite({ email, access_level: 'bot' }),
      await invite({ email, access_level: 'bot' }),
    ]
    t.strictSame(
      bots.map(({ status }) => status),
      [201, 201],
    )
    const elsewhere = await registerAdmin({ email })
    t.equal((await login(email, elsewhere.password)).body.user_id, elsewhere.user_id)
    t.equal((await invite({ email, access_level: 'bot' })).status, 201, 'also after the person')
    t.equal((await invite({ email })).body.code, 'email_exists')

    const employee = required()
    await invite({ ...employee, access_level: 'bot' })
    t.equal((await invite(employee)).status, 201, 'a person in the organization of the bot')
  })

  t.test('returns a temporary password that is valid for seven days', async (t) => {
    const before = Date.now()
    const { body } = await invite({ access_level: 'hr' })
    const after = Date.now()
    const { email, _id, username } = body.user
    const entered = await login(email, body.temporary_password)
    t.equal(entered.status, 200)
    t.match(entered.body, { user_id: _id, username, organization_id, role: 'hr' })

    const stored = await db
      .selectFrom('credentials')
      .select(['expires_at', 'is_temporary', 'password_hash'])
      .where('user_id', '=', _id)
      .executeTakeFirstOrThrow()
    const expires = Date.parse(stored.expires_at ?? '')
    const week = 7 * 24 * 60 * 60 * 1000
    t.ok(expires >= before + week && expires <= after + week)
    t.equal(stored.is_temporary, true)
    t.match(stored.password_hash, /^\$argon2id\$/)

    const expires_at = new Date(before - 1).toISOString()
    await db.updateTable('credentials').set({ expires_at }).where('user_id', '=', _id).execute()
    t.equal((await login(email, body.temporary_password)).status, 401)
  })

  t.test('makes a new temporary password every time', async (t) => {
    const answers = [await invite(), await invite(), await invite()]
    t.equal(new Set(answers.map(({ body }) => body.temporary_password)).size, 3)
  })

  t.test('numbers the usernames of people with the same local part', async (t) => {
    const names = []
    for (const domain of ['one', 'two', 'three']) {
      const { body } = await invite({ email: `sam@${domain}.example` })
      names.push(body.user.username)
    }
    t.strictSame(names, ['sam', 'sam2', 'sam3'])
    const long = ['one', 'two'].map((domain) => ({ email: `${'n'.repeat(60)}@${domain}.example` }))
    const [first, second] = [await invite(long[0]), await invite(long[1])]
    t.equal(first.body.user.username, 'n'.repeat(50))
    t.equal(second.body.user.username, `${'n'.repeat(49)}2`)
  })

  t.test('creates different usernames for thirty concurrent invitations', async (t) => {
    const emails = Array.from({ length: 30 }, (_, index) => `kim@${index}.example`)
    const answers = await Promise.all(emails.map((email) => invite({ email })))
    t.strictSame([...new Set(answers.map(({ status }) => status))], [201])
    const usernames = new Set(answers.map(({ body }) => body.user.username))
    t.equal(usernames.size, 30)
    for (const username of usernames) t.match(username, /^kim\d*$/)
  })

  t.test('refuses an e-mail address that is in use, and changes nothing', async (t) => {
    const stranger = await registerAdmin()
    const { body: before } = await call('listUsers', { token })
    for (const email of [stranger.email, admin.email.toUpperCase(), ` ${admin.email} `]) {
      const { status, body } = await invite({ email })
      t.equal(status, 409)
      t.equal(body.code, 'email_exists')
    }
    const { body: after } = await call('listUsers', { token })
    t.equal(after.length, before.length)
  })

  t.test('accepts one of ten concurrent invitations of an address', async (t) => {
    const { email } = required()
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite({ email })))
    t.strictSame(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
  })

  t.test('finds other organizations only for a super_admin', async (t) => {
    const other = await registerAdmin({ organization_name: 'Elsewhere' })
    const foreign = { organization_id: other.organization_id }
    const operator = await addMember(organization_id, 'super_admin')
    const { body: refused } = await invite({}, admin, foreign)
    t.strictSame(refused, { detail: 'Organization not found', code: 'organization_not_found' })
    const { status, body } = await invite({}, operator, foreign)
    t.equal(status, 201)
    t.match(body, { organization_name: 'Elsewhere', user: foreign })
    const [event] = await auditEvents(call, other, { category: 'invitation' })
    t.match(event, { actor_id: operator.user_id, metadata: { cross_tenant: true } })
  })

  t.test('records one audit event without the password or the e-mail address', async (t) => {
    const { body } = await invite({ access_level: 'manager' })
    const [event] = await auditEvents(call, admin, { category: 'invitation' })
    t.match(event, {
      event_type: 'member_invited',
      status: 'success',
      actor_type: 'user',
      actor_id: admin.user_id,
      metadata: { user_id: body.user._id, role: 'executive' },
    })
    t.notMatch(JSON.stringify(event), new RegExp(`${body.temporary_password}|${body.user.email}`))
  })
})
