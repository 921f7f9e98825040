import { t } from '../helpers/file.js'
import { ageResetLink } from '../helpers/letters.js'
import { startMailbox } from '../helpers/mailbox.js'
import { startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const mailbox = await startMailbox(t)
const mail = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'Simulations <no-reply@service.example>',
  APP_URL: 'https://app.example/',
}
const limited = await startService(t, { ...mail, RATE_LIMIT: 'on', TRUST_PROXY: 'on' })
const unlimited = await startService(t, { ...mail, RATE_LIMIT: 'off' })
const { db } = limited
const refusal = { detail: 'Incorrect email or password', code: 'invalid_credentials' }

let clients = 0
/** Returns headers with a different client address for each login. */
function newAddress() {
  clients++
  return { 'x-forwarded-for': `203.0.113.${clients}` }
}

async function failLogins({ call }: typeof limited, email: string, times: number) {
  const body = { email, password: 'not the password' }
  const answers = await Promise.all(
    Array.from({ length: times }, () => call('login', { body, headers: newAddress() })),
  )
  for (const answer of answers) t.match(answer, { status: 401, body: refusal })
}

async function eventsOf(organization_id: string, event_type: string): Promise<number> {
  const events = await db
    .selectFrom('audit_events')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('event_type', '=', event_type)
    .execute()
  return events.length
}

t.test('login records failed logins from any number of addresses', async (t) => {
  t.test('up to 20 for one account, with the same answer afterwards', async (t) => {
    const admin = await limited.registerAdmin()
    const { organization_id } = admin
    const member = await limited.registerAdmin()
    await failLogins(limited, admin.email, 15)
    await failLogins(limited, admin.email, 15)
    await until(async () => (await eventsOf(organization_id, 'login_failed')) >= 20)
    await failLogins(limited, admin.email, 3)
    // A login is recorded after its answer, so it comes after the earlier events.
    await failLogins(limited, member.email, 1)
    await until(async () => (await eventsOf(member.organization_id, 'login_failed')) === 1)
    t.equal(await eventsOf(organization_id, 'login_failed'), 20)
  })

  t.test('up to 500 for one organization', async (t) => {
    const { email, organization_id, user_id } = await limited.registerAdmin()
    await failLogins(limited, email, 1)
    await until(async () => (await eventsOf(organization_id, 'login_failed')) === 1)
    const taken = (name: string) =>
      db.selectFrom('attempts').select('taken').where('email', '=', name)
    await db
      .updateTable('attempts')
      .set({ taken: 499 })
      .where('email', '=', organization_id)
      .execute()
    await failLogins(limited, email, 5)
    await until(async () => (await taken(user_id).executeTakeFirst())?.taken === 6)
    const another = await limited.registerAdmin()
    await failLogins(limited, another.email, 1)
    await until(async () => (await eventsOf(another.organization_id, 'login_failed')) === 1)
    t.equal(await eventsOf(organization_id, 'login_failed'), 2)
  })

  t.test('without a limit while rate limits are off', async (t) => {
    const { email, organization_id } = await unlimited.registerAdmin()
    await failLogins(unlimited, email, 22)
    await until(async () => (await eventsOf(organization_id, 'login_failed')) >= 22)
    t.equal(await eventsOf(organization_id, 'login_failed'), 22)
  })
})

t.test(
  'requestPasswordReset records 20 requests for one account, and sends each link',
  async (t) => {
    const { email, organization_id } = await limited.registerAdmin()
    const headers = Array.from({ length: 22 }, newAddress)
    for (const [earlier, one] of headers.entries()) {
      const body = { email }
      const { status } = await limited.call('requestPasswordReset', { body, headers: one })
      t.equal(status, 202)
      await mailbox.waitForLetter(email, earlier + 1)
      await ageResetLink(db, email)
    }
    t.equal(await eventsOf(organization_id, 'password_reset_requested'), 20)
  },
)
