import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin
const roles = ['super_admin', 'admin', 'hr', 'executive', 'employee', 'bot'] as const

const update = (as: Member, { user_id }: { user_id: string }, body: unknown) =>
  call('updateUser', { token: as.token, params: { user_id }, body })
const get = (as: Member, { user_id }: { user_id: string }) =>
  call('getUser', { token: as.token, params: { user_id } })
const profile = {
  full_name: 'Ada Lovelace',
  avatar_url: 'https://acme.example/ada.png',
  bio: 'Counts.',
  education: [{ degree: 'MSc', field_of_study: 'Maths', university: 'KTH', graduation_year: 2014 }],
  certifications: [{ name: 'PMP', year: '2019', issuer: 'PMI' }],
  hobbies: ['sailing', 'chess'],
  career_goals: { dream_job: 'Astronaut', department: 'People' },
}
const stored = {
  ...profile,
  education: [{ ...profile.education[0], graduation_year: '2014' }],
}
const events = async (as: Member, user_id: string) =>
  (await auditEvents(call, as, { category: 'user' }))
    .filter(({ metadata }) => metadata?.user_id === user_id)
    .map(({ event_type, actor_id, metadata }) => ({
      event_type,
      actor_id,
      changes: metadata?.changes,
    }))

t.test('getUser', async (t) => {
  const colleague = await addMember(organization_id, 'employee')
  await update(colleague, colleague, profile)
  await update(admin, colleague, { metadata: { phone: '1' } })
  await call('getCurrentUser', { token: colleague.token })

  for (const role of roles) {
    t.test(`shows the role ${role} the same as listUsers`, async (t) => {
      const viewer = await addMember(organization_id, role)
      const { status, body } = await get(viewer, colleague)
      t.equal(status, 200)
      const { body: users } = await call('listUsers', { token: viewer.token })
      const listed = users.find(({ _id }: { _id: string }) => _id === colleague.user_id)
      t.strictSame({ ...body, last_seen: null }, { ...listed, last_seen: null })
      if (['super_admin', 'admin', 'hr'].includes(role)) {
        t.match(body, { ...stored, metadata: { phone: '1' } })
      } else {
        const { education, certifications, hobbies, career_goals, metadata, last_seen } = body
        t.strictSame([education, certifications, hobbies], [[], [], []])
        t.strictSame([career_goals, metadata, last_seen], [{}, {}, null])
        t.match(body, { full_name: profile.full_name, bio: profile.bio, role: 'employee' })
      }
      await update(role === 'bot' ? admin : viewer, viewer, profile)
      t.match((await get(viewer, viewer)).body, { ...stored, role })
    })
  }

  t.test('finds users of another organization only for a super_admin', async (t) => {
    const stranger = await registerAdmin()
    const notFound = { detail: 'User not found', code: 'user_not_found' }
    t.strictSame((await get(stranger, colleague)).body, notFound)
    t.strictSame((await update(stranger, colleague, { bio: 'Mine' })).body, notFound)
    const operator = await addMember(stranger.organization_id, 'super_admin')
    t.match((await get(operator, colleague)).body, stored)
    t.equal((await update(operator, colleague, { bio: 'Seen.' })).body.bio, 'Seen.')
    const [event] = await auditEvents(call, admin, { event_type: 'user_updated' })
    t.match(event, { actor_id: operator.user_id, metadata: { cross_tenant: true } })
  })
})

t.test('updateUser', async (t) => {
  for (const role of roles.filter((one) => one !== 'bot')) {
    t.test(`lets the role ${role} change their own profile`, async (t) => {
      const member = await addMember(organization_id, role)
      const { status, body } = await update(member, member, profile)
      t.equal(status, 200)
      t.match(body, { ...stored, _id: member.user_id, role, is_active: true })
      t.strictSame(body.education, stored.education)
      const changes = { full_name: { from: null, to: profile.full_name }, bio: { from: null } }
      const [event, ...more] = await events(admin, member.user_id)
      t.match(event, { event_type: 'user_updated', actor_id: member.user_id, changes })
      t.strictSame(Object.keys(event?.changes ?? {}).sort(), Object.keys(profile).sort())
      t.strictSame(more, [])
    })
  }

  t.test('refuses a bot any change, even of its own profile', async (t) => {
    const bot = await addMember(organization_id, 'bot')
    const { status, body } = await update(bot, bot, { bio: 'Beep.' })
    t.equal(status, 403)
    t.match(body, { code: 'insufficient_role', detail: 'Not enough permissions' })
  })

  for (const role of ['hr', 'executive', 'employee'] as const) {
    t.test(`refuses the role ${role} to change their own role, state or metadata`, async (t) => {
      const member = await addMember(organization_id, role)
      const { body: before } = await get(admin, member)
      for (const body of [
        { role: 'admin' },
        { role: 'employee', bio: 'Chief' },
        { is_active: true },
        { is_active: false },
        { metadata: {} },
      ]) {
        const answer = await update(member, member, body)
        t.equal(answer.status, 403, JSON.stringify(body))
        t.equal(answer.body.code, 'insufficient_role')
      }
      t.equal((await update(member, member, { role: null, is_active: null })).status, 200)
      const { body: after } = await get(admin, member)
      t.strictSame({ ...after, last_seen: null }, { ...before, last_seen: null })
    })
  }

  for (const role of ['executive', 'employee'] as const) {
    t.test(`refuses the role ${role} to change a colleague`, async (t) => {
      const [member, colleague] = [
        await addMember(organization_id, role),
        await addMember(organization_id, 'employee'),
      ]
      const { status, body } = await update(member, colleague, { bio: 'Lazy.' })
      t.equal(status, 403)
      t.strictSame(body.required_roles, ['super_admin', 'admin', 'hr'])
      t.equal((await get(admin, colleague)).body.bio, null)
    })
  }

  t.test('lets hr change people below hr, but not promote them to hr or above', async (t) => {
    const hr = await addMember(organization_id, 'hr')
    const employee = await addMember(organization_id, 'employee')
    t.match((await update(hr, employee, profile)).body, stored)
    t.match((await update(hr, employee, { role: 'executive' })).body, { role: 'executive' })
    t.match((await update(hr, employee, { role: 'employee' })).body, { role: 'employee' })
    t.match((await update(hr, employee, { is_active: false })).body, { is_active: false })
    t.match((await update(hr, employee, { is_active: true })).body, { is_active: true })
    for (const body of [{ role: 'hr' }, { role: 'admin' }, { metadata: { grade: 1 } }]) {
      const answer = await update(hr, employee, body)
      t.equal(answer.status, 403)
      t.strictSame(answer.body.required_roles, ['super_admin', 'admin'])
    }
    for (const role of ['super_admin', 'admin', 'hr', 'bot'] as const) {
      const target = await addMember(organization_id, role)
      for (const body of [{ bio: 'x' }, { is_active: false }, { role: 'employee' }]) {
        t.equal((await update(hr, target, body)).status, 403, role)
      }
    }
  })

  t.test('lets an admin change everything about everyone', async (t) => {
    const member = await addMember(organization_id, 'employee')
    for (const role of ['executive', 'hr', 'admin', 'employee'] as const) {
      t.equal((await update(admin, member, { role })).body.role, role)
    }
    const { body } = await update(admin, member, { ...profile, metadata: { a: 1, b: { c: 2 } } })
    t.match(body, { ...stored, metadata: { a: 1, b: { c: 2 } } })
    t.strictSame((await update(admin, member, { metadata: { a: null, d: 3 } })).body.metadata, {
      b: { c: 2 },
      d: 3,
    })
  })

  t.test('keeps the role of a bot, and refuses the roles bot and super_admin', async (t) => {
    const bot = await addMember(organization_id, 'bot')
    for (const role of ['employee', 'admin']) {
      const { status, body } = await update(admin, bot, { role })
      t.equal(status, 422)
      t.match(body.detail, [{ loc: ['body', 'role'], type: 'role_fixed' }])
    }
    t.equal((await update(admin, bot, { bio: 'Beep.' })).body.bio, 'Beep.')
    const member = await addMember(organization_id, 'employee')
    for (const role of ['bot', 'super_admin', 'chief']) {
      const { status, body } = await update(admin, member, { role })
      t.equal(status, 422)
      t.match(body.detail, [{ loc: ['body', 'role'], type: 'literal_error' }])
    }
    t.match((await get(admin, member)).body, { role: 'employee', is_bot: false })
  })

  t.test('keeps null and missing fields, and clears fields with empty values', async (t) => {
    const member = await addMember(organization_id, 'employee')
    await update(member, member, profile)
    const nothing = Object.fromEntries(Object.keys(profile).map((name) => [name, null]))
    t.match((await update(member, member, nothing)).body, stored)
    const merged = await update(member, member, {
      career_goals: { dream_job: '', current_role: 'x' },
    })
    t.strictSame(merged.body.career_goals, { department: 'People', current_role: 'x' })
    const cleared = { full_name: '', avatar_url: '', bio: '', education: [], certifications: [] }
    const { body } = await update(member, member, { ...cleared, hobbies: [] })
    t.strictSame([body.full_name, body.avatar_url, body.bio], [null, null, null])
    t.strictSame([body.education, body.certifications, body.hobbies], [[], [], []])
  })

  t.test('accepts an avatar_url of 500 characters, and keeps a longer one', async (t) => {
    const member = await addMember(organization_id, 'employee')
    const address = (length: number) => 'https://acme.example/'.padEnd(length, 'x')
    const longest = { avatar_url: address(500) }
    t.match(await update(member, member, longest), { status: 200, body: longest })
    const refused = await update(member, member, { avatar_url: address(501) })
    t.match(refused.body.detail, [{ loc: ['body', 'avatar_url'], type: 'string_too_long' }])
    const older = { avatar_url: address(2048) }
    const stored = db.updateTable('users').set(older).where('_id', '=', member.user_id)
    await stored.where('organization_id', '=', organization_id).execute()
    t.match(await update(member, member, { bio: 'Counts.' }), { status: 200, body: older })
  })

  t.test('reports every fault of a request', async (t) => {
    const wrong = { full_name: 7, avatar_url: 'javascript:alert(1)', hobbies: ['a', 1], bio: false }
    const { status, body } = await update(admin, admin, wrong)
    t.equal(status, 422)
    const places = body.detail.map(({ loc }: { loc: string[] }) => loc.join(' ')).sort()
    t.strictSame(places, ['body avatar_url', 'body bio', 'body full_name', 'body hobbies 1'])
  })
})
