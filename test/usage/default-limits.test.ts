import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { lettersOf } from '../helpers/letters.js'
import { setLimits } from '../helpers/limits.js'
import { startMailbox } from '../helpers/mailbox.js'
import { type Member, startService } from '../helpers/service.js'

const mailbox = await startMailbox(t)
const mail = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'Acme <drills@acme.example>',
  APP_URL: 'https://app.example',
}

const limitsOf =
  ({ call }: Awaited<ReturnType<typeof startService>>) =>
  async ({ token, organization_id }: Member) => {
    const { body } = await call('getUsage', { token, params: { organization_id } })
    const limits: Schema<'UsageLimit'>[] = body.limits
    return new Map(limits.map((one) => [one.name, one]))
  }

t.test('DEFAULT_LIMITS', async (t) => {
  const DEFAULT_LIMITS = JSON.stringify({ sessions: 1, session_participants: 0 })
  const service = await startService(t, { DEFAULT_LIMITS })
  const { call, db, registerAdmin } = service

  t.test('are what organizations may use', async (t) => {
    const admin = await registerAdmin()
    const limits = await limitsOf(service)(admin)
    t.match(limits.get('sessions'), { allowed: 1, default: 1 })
    t.match(limits.get('templates'), { allowed: 10_000, default: 10_000 })
    const create = (fields: object = {}) => {
      const body = { name: 'Tuesday', scenario_name: 'hr_workforce', ...fields }
      return call('createSession', { token: admin.token, body })
    }
    const exceeded = (quota: string, allowed: number) => ({
      status: 409,
      body: { code: 'quota_exceeded', quota, allowed },
    })
    const participants = [{ user_id: admin.user_id }]
    t.match(await create({ participants }), exceeded('session_participants', 0))
    t.equal((await create()).status, 201)
    t.match(await create(), exceeded('sessions', 1))
  })

  t.test('give way to the limit of one organization', async (t) => {
    const admin = await registerAdmin()
    await setLimits(db, admin.organization_id, { sessions: 12 })
    t.match((await limitsOf(service)(admin)).get('sessions'), { allowed: 12, default: 1 })
  })
})

t.test('Until an organization is verified', async (t) => {
  const DEFAULT_LIMITS = '{"events_per_day":300}'
  const service = await startService(t, { ...mail, DEFAULT_LIMITS })
  const { call, db } = service
  const { register, verify, linkTo } = lettersOf(service, mailbox)
  const record = ({ token, organization_id }: Member, count: number) => {
    const events = Array.from({ length: count }, () => ({ category: 'drill', event_type: 'seen' }))
    return call('recordAuditEvents', { token, params: { organization_id }, body: { events } })
  }

  t.test('it may use a tenth, and everything at once when it is', async (t) => {
    const admin = await register()
    const before = await limitsOf(service)(admin)
    t.match(before.get('events_per_day'), { allowed: 30, default: 300 })
    t.match(before.get('session_bytes'), { allowed: 26_843_545, default: 268_435_456 })
    t.match(before.get('template_bytes'), { allowed: 26_843_545 })
    t.match(before.get('quick_setup_bytes'), { allowed: 26_843_545 })
    t.match(before.get('people'), { allowed: 20_000 })
    t.match(await record(admin, 31), { status: 409, body: { allowed: 30 } })
    t.equal((await verify(admin, await linkTo(admin.email))).status, 204)
    t.equal((await record(admin, 31)).status, 201)
    t.match((await limitsOf(service)(admin)).get('events_per_day'), { allowed: 300 })
  })

  t.test('a limit that an operator has set applies', async (t) => {
    const admin = await register()
    await setLimits(db, admin.organization_id, { events_per_day: 70 })
    t.match((await limitsOf(service)(admin)).get('events_per_day'), { allowed: 70, default: 300 })
    t.equal((await record(admin, 60)).status, 201)
  })

  t.test('it can be verified when the events of the day are used up', async (t) => {
    const admin = await register()
    await record(admin, 30)
    await setLimits(db, admin.organization_id, { events_per_day: 1 })
    t.equal((await record(admin, 30)).status, 409)
    t.equal((await call('resendVerification', { token: admin.token })).status, 200)
    t.equal((await verify(admin, await linkTo(admin.email, 2))).status, 204)
  })
})

t.test('If mail is not configured, all organizations have the whole limit', async (t) => {
  const service = await startService(t)
  const { db, registerAdmin } = service
  const admin = await registerAdmin()
  await db
    .updateTable('organizations')
    .set({ verified_at: null })
    .where('_id', '=', admin.organization_id)
    .execute()
  t.match((await limitsOf(service)(admin)).get('events_per_day'), { allowed: 50_000 })
})
