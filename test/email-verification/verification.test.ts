import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { lettersOf, newEmail } from '../helpers/letters.js'
import { startMailbox } from '../helpers/mailbox.js'
import { auditEvents, startService } from '../helpers/service.js'

const mailbox = await startMailbox(t)
const environment = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
}
const service = await startService(t, environment)
const { call, db, addMember } = service
const withoutMail = await startService(t)
const chosen = 'another horse, another battery'

const { register, linkTo, lettersTo, verify, resend, me, invite, join } = lettersOf(
  service,
  mailbox,
)
const refused = (type: string) => ({
  status: 422,
  body: { detail: [{ loc: ['body', 'token'], type }] },
})
const ask = (email: string) => call('requestPasswordReset', { body: { email } })

t.test('An organization whose registrant is not verified', async (t) => {
  const admin = await register()
  const { organization_id, token } = admin
  await mailbox.waitForLetter(admin.email)

  t.test('shows it in the current user', async (t) => {
    t.match(await me(admin), { email_verified: false, mail_awaits_verification: true })
    const body = { email: admin.email, password: admin.password }
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

  t.test('sends links for new passwords to the registrant only, without its words', async (t) => {
    await call('updateBranding', {
      token,
      params: { organization_id },
      body: {
        company_name: 'Pay now',
        logo_url: 'https://evil.example/logo.svg',
        primary_color: '#bad',
      },
    })
    const second = await join(admin, 'admin')
    await ask(second.email)
    await ask(admin.email)
    const letter = await mailbox.waitForLetter(admin.email, 2)
    t.equal(letter.subject, 'Choose a new password')
    t.notMatch(letter.text + letter.html, /Pay|evil|#bad|Ada/)
    t.equal(lettersTo(second.email), 0)
  })
})

t.test('An organization that an operator creates invites by mail at once', async (t) => {
  const { organization_id: home } = await register()
  const { token } = await addMember(home, 'super_admin')
  const created = await call('createOrganization', { token, body: { name: 'Beacon' } })
  const { body } = await invite({ token, organization_id: created.body._id }, 'admin')
  t.match(body, { email_sent: true, temporary_password: null })
  const link = await linkTo(body.user.email)
  const accepted = await call('acceptInvitation', { body: { token: link, new_password: chosen } })
  t.match(await me({ token: accepted.body.access_token }), {
    email_verified: true,
    mail_awaits_verification: false,
  })
})

t.test('verifyEmail', async (t) => {
  t.test('lets the organization of an admin send letters', async (t) => {
    const admin = await register()
    const { status, body } = await verify(admin, await linkTo(admin.email))
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
    const answers = await Promise.all([1, 2, 3, 4].map(() => verify(admin, token)))
    t.strictSame(answers.map(({ status }) => status).sort(), [204, 422, 422, 422])
    t.match(await verify(admin, token), refused('link_used'))
    t.equal((await auditEvents(call, admin, { event_type: 'email_verified' })).length, 1)
  })

  t.test('accepts only the newest link, for seven days', async (t) => {
    const admin = await register()
    const older = await linkTo(admin.email)
    t.match(await resend(admin), { status: 200, body: { email_sent: true } })
    const newest = await linkTo(admin.email, 2)
    t.match(await verify(admin, older), refused('link_replaced'))
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
    t.match(await verify(admin, newest), refused('link_expired'))
    t.match(await me(admin), { email_verified: false })
  })

  t.test('is for the person who got the link and knows the password', async (t) => {
    const admin = await register()
    const [token, stranger] = [await linkTo(admin.email), await register()]
    const second = await addMember(admin.organization_id, 'admin')
    for (const other of [stranger, second]) {
      t.match(await verify(other, token), refused('other_account'))
    }
    t.equal((await call('verifyEmail', { body: { token } })).status, 401)
    t.match(await me(admin), { email_verified: false })
    t.equal((await verify(admin, token)).status, 204)
  })

  t.test('refuses a link that is unknown', async (t) => {
    const admin = await register()
    for (const token of ['nonsense', createOpaqueToken(admin.organization_id).text, '€']) {
      t.match(await verify(admin, token), refused('link_unknown'))
    }
    for (const token of ['', null, 7, undefined]) t.equal((await verify(admin, token)).status, 422)
  })

  t.test('does not verify the organization of a person who is no longer an admin', async (t) => {
    const admin = await register()
    const role = { role: 'employee' as const }
    await db.updateTable('users').set(role).where('_id', '=', admin.user_id).execute()
    t.equal((await verify(admin, await linkTo(admin.email))).status, 204)
    const other = await addMember(admin.organization_id, 'admin')
    t.match(await me(other), { email_verified: false, mail_awaits_verification: true })
  })
})

t.test('A change of a role meets a verification without a deadlock', async (t) => {
  const admin = await register()
  await verify(admin, await linkTo(admin.email))
  for (let round = 0; round < 10; round++) {
    const second = await addMember(admin.organization_id, 'admin')
    await resend(second)
    const token = await linkTo(second.email)
    const { user_id } = second
    const change = { token: admin.token, params: { user_id }, body: { role: 'hr' } }
    const [verified, changed] = await Promise.all([
      verify(second, token),
      call('updateUser', change),
    ])
    t.strictSame([verified.status, changed.status], [204, 200])
  }
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
    const stillWaits = { email_verified: true, mail_awaits_verification: true }
    t.match(await me(again), stillWaits, 'the organization is verified by its own link only')
    t.equal((await auditEvents(call, again, { event_type: 'email_verified' })).length, 1)
  })

  t.test('by the link of an invitation, and not by a temporary password', async (t) => {
    const admin = await register()
    t.match(await me(await join(admin, 'hr')), { email_verified: false })
    await verify(admin, await linkTo(admin.email))
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
