import { randomUUID } from 'node:crypto'
import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, registerAdmin } = await startService(t)

async function registerUser(fields: object): Promise<Schema<'User'>> {
  const { token } = await registerAdmin(fields)
  const { body } = await call('listUsers', { token })
  return body[0]
}
const usernameOf = async (email: string) => (await registerUser({ email })).username

t.test('A registered profile', async (t) => {
  t.test('is stored with the user', async (t) => {
    const education = {
      degree: 'MSc',
      field_of_study: 'Psychology',
      university: 'Stockholm University',
      graduation_year: '2014',
    }
    const certification = { name: 'SHRM-SCP', issuer: 'SHRM', year: '2019' }
    const experience = {
      title: 'HR partner',
      company: 'Nordlicht',
      start_date: '2015-02',
      end_date: null,
      description: 'Four plants.',
    }
    const user = await registerUser({
      first_name: ' Grace ',
      last_name: ' Lindqvist ',
      phone: '+46 8 123 45 67',
      location: 'Stockholm',
      education: [education],
      skills: ['facilitation', 'mediation'],
      experience: [experience],
      dream_role: 'Chief people officer',
      experience_level: 'senior',
      career_goals: 'Build a learning organization',
      hobbies: ['sailing'],
      certifications: [certification],
    })
    t.match(user, { full_name: 'Grace Lindqvist', role: 'admin', is_bot: false, is_active: true })
    t.match(user, { avatar_url: null, bio: null })
    t.strictSame(user.education, [education])
    t.strictSame(user.certifications, [certification])
    t.strictSame(user.hobbies, ['sailing'])
    t.strictSame(user.career_goals, {
      dream_job: 'Chief people officer',
      experience_level: 'senior',
      career_goal: 'Build a learning organization',
    })
    t.strictSame(user.metadata, {
      phone: '+46 8 123 45 67',
      location: 'Stockholm',
      skills: ['facilitation', 'mediation'],
      experience: [experience],
    })
  })

  t.test('is empty when only the required fields are given', async (t) => {
    const user = await registerUser({})
    t.match(user, { education: [], certifications: [], hobbies: [] })
    t.strictSame(user.career_goals, {})
    t.strictSame(user.metadata, {})
  })

  t.test('accepts null for text that the contract calls optional', async (t) => {
    const fields = ['phone', 'location', 'dream_role', 'experience_level', 'career_goals']
    const user = await registerUser(Object.fromEntries(fields.map((name) => [name, null])))
    t.strictSame(user.career_goals, {})
    t.strictSame(user.metadata, {})
  })

  t.test('stores a year that is a number as text', async (t) => {
    const user = await registerUser({
      education: [{ graduation_year: 2014 }, { graduation_year: 'summer 2016' }],
      certifications: [{ name: 'SHRM', year: 2019 }],
    })
    t.strictSame(user.education, [{ graduation_year: '2014' }, { graduation_year: 'summer 2016' }])
    t.strictSame(user.certifications, [{ name: 'SHRM', year: '2019' }])
  })

  t.test('keeps extra fields of an experience, and of nothing else', async (t) => {
    const experience = [{ title: 'Lead', tools: ['Jira'], remote: true, nested: { depth: 2 } }]
    const user = await registerUser({
      experience,
      education: [{ degree: 'BSc', grade: 'A' }],
      certifications: [{ name: 'PMP', url: 'x' }],
      role: 'super_admin',
      is_bot: true,
      organization_id: randomUUID(),
      nickname: 'ada',
    })
    t.strictSame(user.metadata, { experience })
    t.strictSame(user.education, [{ degree: 'BSc' }])
    t.strictSame(user.certifications, [{ name: 'PMP' }])
    t.match(user, { role: 'admin', is_bot: false })
  })

  t.test('keeps text in any script unchanged', async (t) => {
    const user = await registerUser({
      first_name: '美咲',
      last_name: 'Ørsted 🙂',
      location: "O'Neill",
    })
    t.equal(user.full_name, '美咲 Ørsted 🙂')
    t.match(user.metadata, { location: "O'Neill" })
  })
})

t.test('A username', async (t) => {
  for (const [email, username] of [
    ['grace.hopper_1-x@example.com', 'grace.hopper_1-x'],
    ['MiXeD@example.com', 'mixed'],
    ['a@example.com', 'a00'],
    ['ab@example.com', 'ab0'],
    ['abc@example.com', 'abc'],
    ['josé+news@example.com', 'jose-news'],
    ["o'brien!#$%x@example.com", 'o-brien-x'],
    ['ｗｉｄｅ@example.com', 'wide'],
    ['иван@example.com', '-00'],
    ['../../etc@example.com', '..-..-etc'],
    [`${'l'.repeat(50)}@example.com`, 'l'.repeat(50)],
    [`${'m'.repeat(51)}@example.com`, 'm'.repeat(50)],
  ] as const) {
    t.test(`is ${username} for ${email}`, async (t) => {
      t.equal(await usernameOf(email), username)
    })
  }

  t.test('can be the same in two organizations', async (t) => {
    t.equal(await usernameOf('twin@one.example'), 'twin')
    t.equal(await usernameOf('twin@two.example'), 'twin')
  })
})
