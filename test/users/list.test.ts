import { randomUUID } from 'node:crypto'
import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'

const { url, call, db, registerAdmin, addMember } = await startService(t)
const profile = {
  education: [{ degree: 'MSc', graduation_year: '2014' }],
  certifications: [{ name: 'PMP', year: '2019', issuer: 'PMI' }],
  hobbies: ['sailing'],
  dream_role: 'Chief people officer',
  phone: '+46 8 123 45 67',
}
const admin = await registerAdmin(profile)
const { organization_id } = admin
/** So recent that another call does not change it. */
const last_seen = new Date(Date.now() - 1_000).toISOString()
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

async function list({ token }: { token: string }): Promise<Schema<'User'>[]> {
  const { status, body } = await call('listUsers', { token })
  t.equal(status, 200)
  return body
}
const find = (users: Schema<'User'>[], { user_id }: Member) =>
  users.find(({ _id }) => _id === user_id)

/** Sets all fields of a user that only some callers may see. */
async function fillProfile({ user_id }: Member) {
  await db
    .updateTable('users')
    .set({
      education: jsonb(profile.education),
      certifications: jsonb(profile.certifications),
      hobbies: jsonb(profile.hobbies),
      career_goals: jsonb({ current_role: 'Payroll specialist' }),
      metadata: jsonb({ phone: profile.phone }),
      last_seen,
      avatar_url: 'https://acme.example/face.png',
      bio: 'Counts.',
    })
    .where('_id', '=', user_id)
    .execute()
}
const full = {
  education: profile.education,
  certifications: profile.certifications,
  hobbies: profile.hobbies,
  career_goals: { current_role: 'Payroll specialist' },
  metadata: { phone: profile.phone },
  last_seen,
}
const hidden = {
  education: [],
  certifications: [],
  hobbies: [],
  career_goals: {},
  metadata: {},
  last_seen: null,
}
/** Only the fields of `shape`, unchanged. */
const only = (user: Schema<'User'> | undefined, shape: object) =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, user && Reflect.get(user, name)]))

t.test('listUsers', async (t) => {
  t.test('returns every field of a user', async (t) => {
    const [user] = await list(admin)
    t.match(user, {
      _id: admin.user_id,
      organization_id,
      username: admin.username,
      email: admin.email,
      full_name: 'Ada Okafor',
      role: 'admin',
      is_bot: false,
      is_active: true,
      avatar_url: null,
      bio: null,
      education: profile.education,
      certifications: profile.certifications,
      hobbies: profile.hobbies,
      career_goals: { dream_job: profile.dream_role },
      created_at: timestamp,
      updated_at: timestamp,
      metadata: { phone: profile.phone },
    })
    t.equal(Object.keys(user ?? {}).length, 18)
  })

  t.test('returns a plain array, with and without a slash, and no redirect', async (t) => {
    const { token } = await registerAdmin()
    const headers = { authorization: `Bearer ${token}` }
    const texts = []
    for (const path of ['/api/v1/users', '/api/v1/users/']) {
      const response = await fetch(url + path, { headers, redirect: 'manual' })
      t.equal(response.status, 200)
      t.match(response.headers.get('content-type'), /^application\/json/)
      texts.push(await response.text())
    }
    // The service updates the caller's last_seen during the first request.
    const [plain, slash] = texts.map((text) => text.replace(/"last_seen":[^,}]+/g, ''))
    t.equal(plain, slash)
    t.ok(Array.isArray(JSON.parse(texts[0] ?? '')))
  })

  t.test('lists everyone in the order of creation', async (t) => {
    const { token, organization_id, user_id } = await registerAdmin()
    const ids = [user_id]
    for (const first_name of ['Zoe', 'Adam', 'Mia', 'Bo']) {
      const body = { first_name, last_name: 'X', email: `${first_name}.${randomUUID()}@a.example` }
      const invited = await call('inviteMember', { token, params: { organization_id }, body })
      ids.push(invited.body.user._id)
    }
    t.strictSame(
      (await list({ token })).map(({ _id }) => _id),
      ids,
    )
  })

  t.test('shows a super_admin only the users of their own organization', async (t) => {
    const other = await registerAdmin()
    await addMember(other.organization_id, 'employee')
    const users = await list(await addMember(other.organization_id, 'super_admin'))
    t.ok(users.length > 2)
    for (const user of users) t.equal(user.organization_id, other.organization_id)
  })

  t.test("accepts the id of the caller's own organization", async (t) => {
    const other = await registerAdmin()
    const query = { organization_id: other.organization_id }
    const { status, body } = await call('listUsers', { token: other.token, query })
    t.equal(status, 200)
    t.match(body, [{ _id: other.user_id }])
  })

  t.test('lists inactive users as inactive', async (t) => {
    const member = await addMember(organization_id, 'hr')
    const change = db.updateTable('users').set({ is_active: false })
    await change.where('_id', '=', member.user_id).execute()
    t.match(find(await list(admin), member), { is_active: false, role: 'hr' })
  })

  const colleague = await addMember(organization_id, 'employee')
  await fillProfile(colleague)

  for (const role of ['super_admin', 'admin', 'hr'] as const) {
    t.test(`shows the whole profile of a colleague to the role ${role}`, async (t) => {
      const users = await list(await addMember(organization_id, role))
      t.strictSame(only(find(users, colleague), full), full)
    })
  }

  for (const role of ['executive', 'employee', 'bot'] as const) {
    t.test(`shows the role ${role} the directory, and their own profile in full`, async (t) => {
      const member = await addMember(organization_id, role)
      await fillProfile(member)
      const users = await list(member)
      // A bot's last_seen is updated during its first request, not before.
      const { last_seen: _, ...profile } = full
      t.strictSame(only(find(users, member), profile), profile)
      for (const user of users.filter(({ _id }) => _id !== member.user_id)) {
        t.strictSame(only(user, hidden), hidden)
      }
      const everything = await list(admin)
      const shown = { ...find(everything, colleague), ...hidden }
      t.strictSame(only(find(users, colleague), shown), shown)
      t.strictSame(
        users.map(({ _id }) => _id),
        everything.map(({ _id }) => _id),
      )
    })
  }

  t.test('lists the characters of a simulation as bots', async (t) => {
    const { token } = await registerAdmin()
    const { body } = await call('applyQuickSetup', { token, body: { team_size: 4 } })
    const bots = (await list({ token })).filter((user) => user.is_bot)
    t.equal(bots.length, 4)
    t.strictSame(new Set(bots.map(({ _id }) => _id)), new Set(body.character_ids))
    for (const bot of bots) t.match(bot, { role: 'bot', is_bot: true, is_active: true })
  })

  t.test('lists all of five hundred people', async (t) => {
    const { token, organization_id } = await registerAdmin()
    await db
      .insertInto('users')
      .values(
        Array.from({ length: 499 }, (_, index) => ({
          _id: randomUUID(),
          organization_id,
          username: `person${index}`,
          email: `person${index}@example.com`,
        })),
      )
      .execute()
    const users = await list({ token })
    t.equal(users.length, 500)
    t.match(users.at(-1), { role: 'employee', is_bot: false, is_active: true })
  })
})
