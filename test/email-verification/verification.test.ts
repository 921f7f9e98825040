import { randomUUID } from 'node:crypto'
import type { Schema } from '../../src/contract.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { rowsWritten } from '../helpers/templates.js'
import { rowsOf } from '../helpers/walk.js'

const mailbox = await startMailbox(t)
const environment = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
}
const { call, db, addMember } = await startService(t, environment)
const limited = await startService(t, { ...environment, RATE_LIMIT: 'on' })
const withoutMail = await startService(t)
const password = 'correct horse battery staple'
const chosen = 'another horse, another battery'

const newEmail = () => `${randomUUID()}@example.com`
const lettersTo = (email: string) => mailbox.letters.filter(({ to }) => to.includes(email)).length
const refused = (type: string) => ({
  status: 422,
  body: { detail: [{ loc: ['body', 'token'], type }] },
})
const verify = (token: unknown) => call('verifyEmail', { body: { token } })
const resend = ({ token }: Pick<Member, 'token'>) => call('resendVerification', { token })
const me = async ({ token }: Pick<Member, 'token'>) =>
  (await call('getCurrentUser', { token })).body
const ask = (email: string) => call('requestPasswordReset', { body: { email } })

/** Registers an organization, as a person does. */
async function register(fields: Partial<Schema<'Registration'>> = {}, via = call) {
  const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
  const given = { email: newEmail(), password, ...names, ...fields }
  const { body } = await via('register', { body: given })
  return { ...body, ...given, token: body.access_token } as Member
}

/** Returns the token in letter number `place` to an address. */
const linkTo = async (email: string, place = 1) =>
  tokenIn(await mailbox.waitForLetter(email, place))

function invite({ token, organization_id }: Member, access_level = 'employee') {
  const body = { first_name: 'Tom', last_name: 'Herrera', email: newEmail(), access_level }
  return call('inviteMember', { token, params: { organization_id }, body })
}

/** A person with an account who has a temporary password, and replaces it. */
async function join(admin: Member, access_level: string) {
  const { body } = await invite(admin, access_level)
  const { email } = body.user
  const { body: grant } = await call('login', {
    body: { email, password: body.temporary_password },
  })
  const change = { current_password: body.temporary_password, new_password: chosen }
  const answer = await call('changePassword', { token: grant.access_token, body: change })
  return { ...answer.body, email, token: answer.body.access_token } as Member
}

t.test('register', async (t) => {
  t.test('sends a letter that has no word of the person who registers', async (t) => {
    const email = newEmail()
    const names = { organization_name: 'Pay now', first_name: 'Click', last_name: 'Here' }
    const { organization_id } = await register({ email, ...names })
    const letter = await mailbox.waitForLetter(email)
    t.equal(letter.subject, 'Confirm your e-mail address')
    t.match(letter.text, /^https:\/\/app\.example\/verify-email\?token=[\w-]{64}$/m)
    t.match(letter.text, /once, for seven days/)
    t.notMatch(letter.subject + letter.text + letter.html, /Pay|Click|Here/)
    const rows = (await rowsOf(db, organization_id)).join('\n')
    t.notOk(rows.includes(tokenIn(letter)), 'only the hash of the link is stored')
  })

  t.test(
    'answers although the mail server refuses the letter, which can be sent again',
    async (t) => {
      mailbox.behave('refuse')
      const before = mailbox.attempts()
      const admin = await register()
      await mailbox.waitForAttempt(before + 1)
      t.match(await resend(admin), { status: 200, body: { email_sent: false } })
      mailbox.behave('accept')
      t.match(await resend(admin), { status: 200, body: { email_sent: true } })
      t.equal((await verify(await linkTo(admin.email))).status, 204)
    },
  )

  t.test('sends nothing when it is refused', async (t) => {
    const { email } = await register()
    await mailbox.waitForLetter(email)
    const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
    const answer = await call('register', { body: { email, password, ...names } })
    t.equal(answer.body.code, 'email_exists')
    t.equal(lettersTo(email), 1)
  })

  for (const [field, name] of [
    ['organization_name', 'Click http://evil.example/pay now'],
    ['organization_name', 'WWW.evil.example'],
    ['first_name', 'see ftp://evil.example'],
    ['last_name', 'www.evil.example'],
  ] as const) {
    t.test(`refuses "${name}" as ${field}`, async (t) => {
      const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
      const body = { email: newEmail(), password, ...names, [field]: name }
      const answer = await call('register', { body })
      t.match(answer, {
        status: 422,
        body: { detail: [{ loc: ['body', field], type: 'page_address' }] },
      })
    })
  }
})

t.test('An organization without a verified admin', async (t) => {
  const admin = await register()
  const { organization_id, token } = admin
  await mailbox.waitForLetter(admin.email)

  t.test('shows it in the current user', async (t) => {
    t.match(await me(admin), { email_verified: false, mail_awaits_verification: true })
    const body = { email: admin.email, password }
    const { access_token } = (await withoutMail.call('login', { body })).body
    const answer = await withoutMail.call('getCurrentUser', { token: access_token })
    t.match(answer.body, { email_verified: false, mail_awaits_verification: false })
  })

  t.test('invites with temporary passwords', async (t) => {
    const { status, body } = await invite(admin)
    t.equal(status, 201)
    t.match(body, { email_sent: false, temporary_password: /^.{24}$/ })
    const params = { organization_id, user_id: body.user._id }
    const again = await call('resendInvitation', { token, params })
    t.match(again, { status: 200, body: { email_sent: false, temporary_password: /^.{24}$/ } })
    const row = { first_name: 'Mei', last_name: 'Tan', email: newEmail() }
    const many = { token, params: { organization_id }, body: { invitations: [row] } }
    const { results } = (await call('inviteMembers', many)).body
    t.match(results, [{ invitation: { email_sent: false, temporary_password: /./ } }])
    for (const email of [body.user.email, row.email]) t.equal(lettersTo(email), 0)
    const usage = await call('getUsage', { token, params: { organization_id } })
    const { limits } = usage.body
    const letters = limits.find(({ name }: { name: string }) => name === 'letters_per_day')
    t.equal(letters.used, 0)
  })

  t.test('sends links for new passwords to admins only, without its words', async (t) => {
    await call('updateBranding', {
      token,
      params: { organization_id },
      body: { company_name: 'Pay now', logo_url: 'https://evil.example/logo.svg' },
    })
    const employee = await join(admin, 'employee')
    await ask(employee.email)
    await ask(admin.email)
    const letter = await mailbox.waitForLetter(admin.email, 2)
    t.equal(letter.subject, 'Choose a new password')
    t.notMatch(letter.text + letter.html, /Pay|evil|Ada/)
    t.equal(lettersTo(employee.email), 0)
  })
})

t.test('verifyEmail', async (t) => {
  t.test('lets the organization of an admin send letters', async (t) => {
    const admin = await register()
    const { status, body } = await verify(await linkTo(admin.email))
    t.strictSame([status, body], [204, ''])
    t.match(await me(admin), { email_verified: true, mail_awaits_verification: false })
    t.match(await auditEvents(call, admin, { event_type: 'email_verified' }), [
      { category: 'auth', actor_type: 'user', actor_id: admin.user_id },
    ])
    const invited = await invite(admin)
    t.match(invited.body, { email_sent: true, temporary_password: null })
    const letter = await mailbox.waitForLetter(invited.body.user.email)
    t.equal(letter.subject, 'Your invitation to a simulated workplace')
    t.match(await resend(admin), { status: 409, body: { code: 'already_verified' } })
  })

  t.test('accepts a link once, even for many concurrent uses', async (t) => {
    const admin = await register()
    const token = await linkTo(admin.email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => verify(token)))
    t.strictSame(answers.map(({ status }) => status).sort(), [204, 422, 422, 422])
    t.match(await verify(token), refused('link_used'))
    t.equal((await auditEvents(call, admin, { event_type: 'email_verified' })).length, 1)
  })

  t.test('accepts only the newest link, for seven days', async (t) => {
    const admin = await register()
    const older = await linkTo(admin.email)
    t.match(await resend(admin), { status: 200, body: { email_sent: true } })
    const newest = await linkTo(admin.email, 2)
    t.match(await verify(older), refused('link_replaced'))
    const links = () =>
      db.selectFrom('email_verifications').selectAll().where('user_id', '=', admin.user_id)
    const { created_at, expires_at } = await links().executeTakeFirstOrThrow()
    const days = (Date.parse(expires_at) - Date.parse(created_at)) / (24 * 60 * 60 * 1000)
    t.equal(Math.round(days), 7)
    await db
      .updateTable('email_verifications')
      .set({ expires_at: new Date(Date.now() - 1000).toISOString() })
      .where('user_id', '=', admin.user_id)
      .execute()
    t.match(await verify(newest), refused('link_expired'))
    t.match(await me(admin), { email_verified: false })
  })

  t.test('refuses a link that is unknown, or of an inactive person', async (t) => {
    const admin = await register()
    for (const token of ['nonsense', createOpaqueToken(admin.organization_id).text, '€']) {
      t.match(await verify(token), refused('link_unknown'))
    }
    for (const token of ['', null, 7, undefined]) t.equal((await verify(token)).status, 422)
    const token = await linkTo(admin.email)
    const inactive = { is_active: false }
    await db.updateTable('users').set(inactive).where('_id', '=', admin.user_id).execute()
    t.match(await verify(token), refused('inactive'))
  })

  t.test('verifies no organization for somebody who is no longer an admin', async (t) => {
    const admin = await register()
    const role = { role: 'employee' as const }
    await db.updateTable('users').set(role).where('_id', '=', admin.user_id).execute()
    t.equal((await verify(await linkTo(admin.email))).status, 204)
    const other = await addMember(admin.organization_id, 'admin')
    t.match(await me(other), { email_verified: false, mail_awaits_verification: true })
  })
})

t.test('resendVerification', async (t) => {
  t.test('sends a link to the caller, and records who asked', async (t) => {
    const admin = await register()
    const second = await join(admin, 'admin')
    t.match(await resend(second), { status: 200, body: { email_sent: true } })
    t.equal((await verify(await linkTo(second.email))).status, 204)
    t.match(await me(second), { email_verified: true, mail_awaits_verification: false })
    t.match(await me(admin), { email_verified: false, mail_awaits_verification: false })
    t.match(await auditEvents(call, admin, { event_type: 'verification_requested' }), [
      { category: 'auth', actor_id: second.user_id },
    ])
  })

  t.test('sends and stores nothing without a mail server', async (t) => {
    const admin = await register({}, withoutMail.call)
    const before = await rowsWritten(db, admin.organization_id)
    const { status, body } = await withoutMail.call('resendVerification', { token: admin.token })
    t.strictSame([status, body], [200, { email_sent: false }])
    t.strictSame(await rowsWritten(db, admin.organization_id), before)
    t.match(await resend(admin), { body: { email_sent: true } }, 'there is a mail server now')
    await mailbox.waitForLetter(admin.email)
  })

  t.test('sends five letters in 24 hours, with those for new passwords', async (t) => {
    const admin = await register({}, limited.call)
    const { token, email } = admin
    const ask = () => limited.call('requestPasswordReset', { body: { email } })
    for (let time = 0; time < 4; time++) {
      t.match(await limited.call('resendVerification', { token }), { status: 200 })
    }
    await ask()
    await mailbox.waitForLetter(email, 6)
    const answer = await limited.call('resendVerification', { token })
    t.match(answer, { status: 429, body: { code: 'rate_limited' } })
    t.ok(Number(answer.headers.get('retry-after')) > 60 * 60)
    t.equal((await ask()).status, 202, 'the answer is the same')
  })
})

t.test('An e-mail address is also verified', async (t) => {
  t.test('by a link for a new password', async (t) => {
    const admin = await register()
    await mailbox.waitForLetter(admin.email)
    await ask(admin.email)
    const token = await linkTo(admin.email, 2)
    t.equal((await call('resetPassword', { body: { token, new_password: chosen } })).status, 204)
    const { body } = await call('login', { body: { email: admin.email, password: chosen } })
    const again = { ...admin, token: body.access_token }
    t.match(await me(again), { email_verified: true, mail_awaits_verification: false })
    t.equal((await auditEvents(call, again, { event_type: 'email_verified' })).length, 1)
  })

  t.test('by the link of an invitation, and not by a temporary password', async (t) => {
    const admin = await register()
    t.match(await me(await join(admin, 'hr')), { email_verified: false })
    await verify(await linkTo(admin.email))
    const { body } = await invite(admin)
    const token = await linkTo(body.user.email)
    const { body: grant } = await call('acceptInvitation', {
      body: { token, new_password: chosen },
    })
    t.match(await me({ token: grant.access_token }), { email_verified: true })
    const [event] = await auditEvents(call, admin, { event_type: 'email_verified' })
    t.match(event, { actor_id: body.user._id })
  })
})
