import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { lettersOf, newEmail } from '../helpers/letters.js'
import { startMailbox } from '../helpers/mailbox.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { rowsWritten } from '../helpers/templates.js'

const mailbox = await startMailbox(t)
const environment = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
}
const service = await startService(t, environment)
const { call, db, addMember } = service
const limited = await startService(t, { ...environment, RATE_LIMIT: 'on' })
const withoutMail = await startService(t)
const chosen = 'another horse, another battery'

const { register, linkTo, lettersTo } = lettersOf(service, mailbox)
const refused = (type: string) => ({
  status: 422,
  body: { detail: [{ loc: ['body', 'token'], type }] },
})
const verify = (by: Pick<Member, 'token'>, token: unknown) =>
  call('verifyEmail', { token: by.token, body: { token } })
const resend = ({ token }: Pick<Member, 'token'>) => call('resendVerification', { token })
const me = async ({ token }: Pick<Member, 'token'>) =>
  (await call('getCurrentUser', { token })).body
const ask = (email: string) => call('requestPasswordReset', { body: { email } })

function invite(
  { token, organization_id }: Pick<Member, 'token' | 'organization_id'>,
  access_level = 'employee',
) {
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
      body: { company_name: 'Pay now', logo_url: 'https://evil.example/logo.svg' },
    })
    const second = await join(admin, 'admin')
    await ask(second.email)
    await ask(admin.email)
    const letter = await mailbox.waitForLetter(admin.email, 2)
    t.equal(letter.subject, 'Choose a new password')
    t.notMatch(letter.text + letter.html, /Pay|evil|Ada/)
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

  t.test('verifies no organization for somebody who is no longer an admin', async (t) => {
    const admin = await register()
    const role = { role: 'employee' as const }
    await db.updateTable('users').set(role).where('_id', '=', admin.user_id).execute()
    t.equal((await verify(admin, await linkTo(admin.email))).status, 204)
    const other = await addMember(admin.organization_id, 'admin')
    t.match(await me(other), { email_verified: false, mail_awaits_verification: true })
  })
})

t.test('resendVerification', async (t) => {
  t.test('sends a link to the caller, and records who asked', async (t) => {
    const admin = await register()
    const second = await join(admin, 'admin')
    const onlyRegistrant = { status: 403, body: { code: 'not_registrant' } }
    t.match(await resend(second), onlyRegistrant)
    await verify(admin, await linkTo(admin.email))
    t.match(await resend(second), { status: 200, body: { email_sent: true } })
    t.equal((await verify(second, await linkTo(second.email))).status, 204)
    t.match(await me(second), { email_verified: true, mail_awaits_verification: false })
    t.match(await auditEvents(call, admin, { event_type: 'verification_requested' }), [
      { category: 'auth', actor_id: second.user_id },
    ])
  })

  t.test('sends and stores nothing without a mail server', async (t) => {
    const admin = await register({ via: withoutMail.call })
    const before = await rowsWritten(db, admin.organization_id)
    const { status, body } = await withoutMail.call('resendVerification', { token: admin.token })
    t.strictSame([status, body], [200, { email_sent: false }])
    t.strictSame(await rowsWritten(db, admin.organization_id), before)
    t.match(await resend(admin), { body: { email_sent: true } }, 'there is a mail server now')
    await mailbox.waitForLetter(admin.email)
  })

  t.test(
    'sends five letters in 24 hours, and no more keep a password from being reset',
    async (t) => {
      const admin = await register({ via: limited.call })
      const { token, email } = admin
      const resend = () => limited.call('resendVerification', { token })
      for (let time = 0; time < 5; time++) t.match(await resend(), { status: 200 })
      const answer = await resend()
      t.match(answer, { status: 429, body: { code: 'rate_limited' } })
      t.ok(Number(answer.headers.get('retry-after')) > 60 * 60)
      await limited.call('requestPasswordReset', { body: { email } })
      const letter = await mailbox.waitForLetter(email, 7)
      t.equal(letter.subject, 'Choose a new password')
    },
  )
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
