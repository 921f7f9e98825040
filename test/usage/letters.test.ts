import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { ageResetLink } from '../helpers/letters.js'
import { setLimits } from '../helpers/limits.js'
import { startMailbox } from '../helpers/mailbox.js'
import { type Member, startService } from '../helpers/service.js'
import { rowsWritten } from '../helpers/templates.js'
import { until } from '../helpers/until.js'

const mailbox = await startMailbox(t)
const environment = {
  SMTP_URL: mailbox.url,
  LOG_LEVEL: 'warn',
  MAIL_FROM: 'mail@acme.example',
  APP_URL: 'https://app.example',
}
const service = await startService(t, environment)
const { call, db, log, registerAdmin } = service
/** Another process on the same database, and one without a mail server. */
const second = await startService(t, environment)
const withoutMail = await startService(t, {})

const exceeded = (used: number, allowed: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota: 'letters_per_day', used, allowed },
})
const person = (email = `${createId()}@example.com`) => ({
  first_name: 'Tomás',
  last_name: 'Herrera',
  email,
})
const invite = (
  { token, organization_id }: Member,
  { via = service, body = person() }: { via?: Pick<typeof service, 'call'>; body?: object } = {},
) => via.call('inviteMember', { token, params: { organization_id }, body })
const inviteMany = ({ token, organization_id }: Member, invitations: object[]) =>
  call('inviteMembers', { token, params: { organization_id }, body: { invitations } })

async function usedBy({ token, organization_id }: Member) {
  const { body } = await call('getUsage', { token, params: { organization_id } })
  return body.limits.find(({ name }: { name: string }) => name === 'letters_per_day').used
}

async function adminWith(letters_per_day: number): Promise<Member> {
  const admin = await registerAdmin()
  await setLimits(db, admin.organization_id, { letters_per_day })
  return admin
}

t.test('A limit of letters_per_day', async (t) => {
  t.test('applies to invitations in all processes, and to no other organization', async (t) => {
    const admin = await adminWith(2)
    t.equal((await invite(admin)).status, 201)
    t.equal((await invite(admin, { via: second })).status, 201)
    const before = await rowsWritten(db, admin.organization_id)
    const { length } = mailbox.letters
    for (const via of [service, second]) t.match(await invite(admin, { via }), exceeded(2, 2))
    t.strictSame(await rowsWritten(db, admin.organization_id), before, 'nothing is stored')
    t.equal(mailbox.letters.length, length, 'and nothing is sent')
    t.equal(await usedBy(admin), 2)
    t.match(await invite(await adminWith(1)), { status: 201, body: { email_sent: true } })
  })

  t.test('also limits concurrent invitations', async (t) => {
    const admin = await adminWith(3)
    const answers = await Promise.all(Array.from({ length: 9 }, () => invite(admin)))
    const statuses = answers.map(({ status }) => status).sort()
    t.strictSame(statuses, [...Array(3).fill(201), ...Array(6).fill(409)])
    t.equal(await usedBy(admin), 3)
  })

  t.test('applies to people invited together: all are invited or none', async (t) => {
    const admin = await adminWith(3)
    t.equal((await invite(admin)).status, 201)
    const before = await rowsWritten(db, admin.organization_id)
    const three = [person(), person(), person()]
    t.match(await inviteMany(admin, three), exceeded(1, 3))
    t.strictSame(await rowsWritten(db, admin.organization_id), before)
    const { body } = await inviteMany(admin, three.slice(1))
    t.match(body.results, [{ status: 'invited' }, { status: 'invited' }])
    t.equal(await usedBy(admin), 3)
  })

  t.test('applies to an invitation that is sent again, and leaves it unchanged', async (t) => {
    const admin = await adminWith(1)
    const { body } = await invite(admin)
    const before = await rowsWritten(db, admin.organization_id)
    const { token, organization_id } = admin
    const params = { organization_id, user_id: body.user._id }
    t.match(await call('resendInvitation', { token, params }), exceeded(1, 1))
    t.strictSame(await rowsWritten(db, organization_id), before)
  })

  t.test('counts no refused invitation, and no bot', async (t) => {
    const admin = await adminWith(1)
    const { email } = await registerAdmin()
    t.equal((await invite(admin, { body: person(email) })).body.code, 'email_exists')
    t.equal((await invite(admin, { body: { ...person(), access_level: 'bot' } })).status, 201)
    t.equal(await usedBy(admin), 0)
    t.equal((await invite(admin)).status, 201)
  })

  t.test('allows a list of bots when no letters are left', async (t) => {
    const admin = await adminWith(0)
    const { body } = await inviteMany(admin, [{ ...person(), access_level: 'bot' }])
    t.match(body, { results: [{ status: 'invited' }] })
  })

  t.test('counts nothing when no mail is sent', async (t) => {
    const admin = await adminWith(0)
    t.match(await invite(admin), exceeded(0, 0))
    const answer = await invite(admin, { via: withoutMail })
    t.match(answer, { status: 201, body: { email_sent: false, temporary_password: /./ } })
    t.equal(await usedBy(admin), 0)
  })

  t.test('starts again at midnight', async (t) => {
    const admin = await adminWith(1)
    t.equal((await invite(admin)).status, 201)
    t.match(await invite(admin), exceeded(1, 1))
    const { organization_id: ip } = admin
    const counts = await db
      .selectFrom('attempts')
      .select('expires_at')
      .where('ip', '=', ip)
      .execute()
    t.match(counts, [{ expires_at: /T00:00:00\.000Z$/ }])
    const past = { expires_at: new Date(Date.now() - 1).toISOString() }
    await db.updateTable('attempts').set(past).where('ip', '=', ip).execute()
    t.equal(await usedBy(admin), 0)
    t.equal((await invite(admin)).status, 201)
  })

  t.test('works with the largest value that an operator may set', async (t) => {
    const admin = await adminWith(999_999_999_999_999)
    t.equal((await invite(admin)).status, 201)
    t.equal((await invite(admin)).status, 201)
  })
})

t.test('Password resets', async (t) => {
  const ask = (email: string) => call('requestPasswordReset', { body: { email } })
  const lettersTo = (email: string) => mailbox.letters.filter(({ to }) => to.includes(email)).length

  t.test('are sent when the invitations of the day are used up', async (t) => {
    const admin = await adminWith(1)
    t.equal((await invite(admin)).status, 201)
    t.match(await invite(admin), exceeded(1, 1))
    t.equal((await ask(admin.email)).status, 202)
    await mailbox.waitForLetter(admin.email)
  })

  t.test('have a separate limit of the same size', async (t) => {
    const admin = await adminWith(1)
    for (const letters of [1, 2]) {
      await ask(admin.email)
      await until(() => lettersTo(admin.email) === letters)
      await ask(admin.email)
      const notSent = () => log.filter((line) => line.includes('younger than ten minutes')).length
      await until(() => notSent() === letters)
      await ageResetLink(db, admin.email)
    }
    t.equal((await ask(admin.email)).status, 202, 'the answer is the same')
    await until(() => log.some((line) => line.includes('no letters are left today')))
    t.equal(lettersTo(admin.email), 2)

    const another = person()
    t.equal((await invite(admin, { body: another })).status, 201)
    await ask(another.email)
    await until(() => lettersTo(another.email) === 2)
    t.equal(lettersTo(another.email), 2, 'an invitation, and the first reset of the day')
  })
})
