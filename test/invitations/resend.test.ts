import { randomUUID } from 'node:crypto'
import { t } from '../helpers/file.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { auditEvents, startService } from '../helpers/service.js'

const mailbox = await startMailbox(t)
const environment = { MAIL_FROM: 'mail@acme.example', APP_URL: 'https://app.example' }
const service = await startService(t, { SMTP_URL: mailbox.url, ...environment })
const { call, db, registerAdmin, addMember } = service
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }
const password = 'a password of my own'

const accept = (token: string) => call('acceptInvitation', { body: { token, password } })
const login = (email: string, password: string) => call('login', { body: { email, password } })
const resend = (user_id: string, as = { token }, to = params) =>
  call('resendInvitation', { token: as.token, params: { ...to, user_id } })

async function invite(access_level = 'employee') {
  const names = { first_name: 'Tomás', last_name: 'Herrera' }
  const body = { ...names, email: `${randomUUID()}@example.com`, access_level }
  const answer = await call('inviteMember', { token, params, body })
  const { email, _id: user_id } = answer.body.user
  return { email, user_id, temporary_password: answer.body.temporary_password }
}

async function findInvitations(email: string) {
  const { body } = await call('listInvitations', { token, params })
  return { rows: body.filter((one: { email: string }) => one.email === email) }
}

t.test('resendInvitation', async (t) => {
  t.test('sends a new link, and the old one is void', async (t) => {
    const { email, user_id } = await invite()
    const old = tokenIn(await mailbox.waitForLetter(email))
    const { status, headers, body } = await resend(user_id)
    t.equal(status, 200)
    t.equal(headers.get('cache-control'), 'no-store')
    t.match(body, { user: { _id: user_id, email }, organization_name: 'Acme' })
    t.match(body, { email_sent: true, temporary_password: null })
    const renewed = tokenIn(await mailbox.waitForLetter(email, 2))
    t.equal((await accept(old)).status, 422)
    t.equal((await accept(renewed)).status, 200)
  })

  t.test('keeps its link valid when an earlier letter fails later', async (t) => {
    mailbox.behave('hang')
    const attempts = mailbox.attempts()
    const email = `${randomUUID()}@example.com`
    const body = { first_name: 'Tomás', last_name: 'Herrera', email }
    const inviting = call('inviteMember', { token, params, body })
    await mailbox.waitForAttempt(attempts + 1)
    mailbox.behave('accept')
    const { rows } = await findInvitations(email)
    const { body: resent } = await resend(rows[0].user_id)
    t.match(resent, { email_sent: true, temporary_password: null })
    mailbox.cut()
    t.match((await inviting).body, { email_sent: false, temporary_password: null })
    t.match((await findInvitations(email)).rows, [{ email_sent: true, status: 'pending' }])
    t.equal((await accept(tokenIn(await mailbox.waitForLetter(email)))).status, 200)
  })

  t.test('gives an expired invitation seven more days', async (t) => {
    const { email, user_id } = await invite()
    const past = { expires_at: new Date(Date.now() - 1).toISOString() }
    await db.updateTable('invitations').set(past).where('user_id', '=', user_id).execute()
    t.equal((await resend(user_id)).status, 200)
    const query = { status: 'pending' }
    const { body } = await call('listInvitations', { token, params, query })
    const [renewed] = body.filter((one: { user_id: string }) => one.user_id === user_id)
    t.ok(Date.parse(renewed.expires_at) > Date.now() + 6.9 * 24 * 60 * 60 * 1000)
    t.equal((await accept(tokenIn(await mailbox.waitForLetter(email, 2)))).status, 200)
  })

  t.test('voids a temporary password and the sessions that were opened with it', async (t) => {
    mailbox.behave('refuse')
    const { email, user_id, temporary_password } = await invite()
    mailbox.behave('accept')
    const { body: entered } = await login(email, temporary_password)
    t.equal((await call('getCurrentUser', { token: entered.access_token })).status, 200)

    t.match((await resend(user_id)).body, { email_sent: true, temporary_password: null })
    t.equal((await login(email, temporary_password)).status, 401)
    for (const operation of ['getCurrentUser', 'listUsers'] as const) {
      t.equal((await call(operation, { token: entered.access_token })).status, 401)
    }
    const { refresh_token } = entered
    t.equal((await call('refreshToken', { body: { refresh_token } })).status, 401)
    t.equal((await accept(tokenIn(await mailbox.waitForLetter(email)))).status, 200)
  })

  t.test('returns a temporary password when the mail server refuses the letter', async (t) => {
    const { email, user_id } = await invite()
    const old = tokenIn(await mailbox.waitForLetter(email))
    mailbox.behave('refuse')
    const answers = [(await resend(user_id)).body, (await resend(user_id)).body]
    mailbox.behave('accept')
    for (const body of answers) {
      t.match(body, { email_sent: false, temporary_password: /^.{24}$/ })
    }
    t.equal((await accept(old)).status, 422)
    t.equal((await login(email, answers[0].temporary_password)).status, 401)
    t.equal((await login(email, answers[1].temporary_password)).status, 200)
  })

  t.test('is refused after an acceptance by the link or by a password', async (t) => {
    const byLink = await invite()
    await accept(tokenIn(await mailbox.waitForLetter(byLink.email)))
    mailbox.behave('refuse')
    const byPassword = await invite()
    mailbox.behave('accept')
    const { email, temporary_password: current_password } = byPassword
    const { access_token } = (await login(email, current_password)).body
    const body = { current_password, new_password: password }
    await call('changePassword', { token: access_token, body })
    for (const { user_id } of [byLink, byPassword]) {
      const { status, body } = await resend(user_id)
      t.equal(status, 409)
      t.match(body, { code: 'invitation_not_pending', current_status: 'accepted' })
    }
    t.equal((await login(email, password)).status, 200)
  })

  t.test('lets hr resend only to people whose current role is below hr', async (t) => {
    const hr = await addMember(organization_id, 'hr')
    for (const [level, status] of [
      ['employee', 200],
      ['executive', 200],
      ['hr', 403],
      ['admin', 403],
    ] as const) {
      const { user_id } = await invite(level)
      const answer = await resend(user_id, hr)
      t.equal(answer.status, status)
      if (status === 403) t.strictSame(answer.body.required_roles, ['super_admin', 'admin'])
    }
    const { user_id } = await invite('employee')
    await call('updateUser', { token, params: { user_id }, body: { role: 'admin' } })
    for (const operation of ['resendInvitation', 'revokeInvitation'] as const) {
      const answer = await call(operation, { token: hr.token, params: { ...params, user_id } })
      t.equal(answer.status, 403)
    }
  })

  t.test('answers 404 for a user who was not invited here', async (t) => {
    const other = await registerAdmin()
    const bot = await invite('bot')
    const { user_id } = await invite()
    const theirs = { organization_id: other.organization_id }
    const notFound = { detail: 'Invitation not found', code: 'invitation_not_found' }
    for (const unknown of [admin.user_id, other.user_id, bot.user_id, randomUUID(), 'x']) {
      const { status, body } = await resend(unknown)
      t.equal(status, 404)
      t.strictSame(body, notFound)
    }
    t.strictSame((await resend(user_id, other, theirs)).body, notFound)
    t.equal((await resend(user_id, other)).body.code, 'organization_not_found')
  })

  t.test('records one audit event without a secret', async (t) => {
    const { email, user_id } = await invite()
    await resend(user_id)
    const link = tokenIn(await mailbox.waitForLetter(email, 2))
    const events = await auditEvents(call, admin, { event_type: 'invitation_resent' })
    t.match(events[0], { category: 'invitation', actor_id: admin.user_id, metadata: { user_id } })
    t.notMatch(JSON.stringify(events), new RegExp(`${link}|${email}`))
    t.not(events[1]?.metadata?.user_id, user_id)
  })
})

t.test('One organization can send an address ten letters an hour', async (t) => {
  const limited = await startService(t, {
    SMTP_URL: mailbox.url,
    RATE_LIMIT: 'on',
    ...environment,
  })
  const [first, other] = [await limited.registerAdmin(), await limited.registerAdmin()]
  const email = `${randomUUID()}@example.com`
  const body = { first_name: 'Ida', last_name: 'Berg', email }
  const inviteAs = ({ token, organization_id }: typeof admin) =>
    limited.call('inviteMember', { token, params: { organization_id }, body })
  const paramsOf = (user_id: string) => ({ organization_id: first.organization_id, user_id })
  const { user } = (await inviteAs(first)).body
  const request = { token: first.token, params: paramsOf(user._id) }
  const sent: boolean[] = []
  for (let i = 0; i < 10; i++) {
    sent.push((await limited.call('resendInvitation', request)).body.email_sent)
  }
  t.strictSame(sent, [...Array.from({ length: 9 }, () => true), false])
  const again = await limited.call('resendInvitation', request)
  t.match(again, { status: 200, body: { email_sent: false, temporary_password: /^\w{24}$/ } })
  await limited.call('revokeInvitation', request)
  t.match(
    (await inviteAs(other)).body,
    { email_sent: true },
    'another organization may send letters to this address',
  )
})
