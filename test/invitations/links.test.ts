import { randomUUID } from 'node:crypto'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { ageResetLink } from '../helpers/letters.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { auditEvents, startService } from '../helpers/service.js'

const mailbox = await startMailbox(t)
const environment = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@acme.example',
  APP_URL: 'https://app.example',
  LOG_LEVEL: 'trace',
}
const { call, db, registerAdmin, log } = await startService(t, environment)
const limited = await startService(t, { RATE_LIMIT: 'on' })
const admin = await registerAdmin({ organization_name: 'Acme' })
const { token, organization_id } = admin
const password = 'a password of my own'

const look = (link: unknown) => call('getInvitation', { body: { token: link } })
const accept = (link: string) => call('acceptInvitation', { body: { token: link, password } })
const reset = (link: string) => call('resetPassword', { body: { token: link, password } })
const member = (user_id: string) => ({ token, params: { organization_id, user_id } })
const refused = (type: string) => ({
  status: 422,
  body: { detail: [{ loc: ['body', 'token'], type }] },
})

async function invite() {
  const email = `${randomUUID()}@example.com`
  const body = { first_name: 'Tomás', last_name: 'Herrera', email, access_level: 'hr' }
  const answer = await call('inviteMember', { token, params: { organization_id }, body })
  return { email, user_id: answer.body.user._id, link: await linkTo(email) }
}

const linkTo = async (email: string, nth = 1) => tokenIn(await mailbox.waitForLetter(email, nth))

/** Requests a link for a new password. It is in the person's nth letter. */
async function askForLink(email: string, nth: number) {
  await ageResetLink(db, email)
  await call('requestPasswordReset', { body: { email } })
  return linkTo(email, nth)
}

t.test('getInvitation', async (t) => {
  t.test('shows whom a link is for, changes nothing and records nothing', async (t) => {
    const { email, user_id, link } = await invite()
    const before = await auditEvents(call, admin)
    const { status, body } = await look(link)
    t.equal(status, 200)
    const { expires_at, ...shown } = body
    const full_name = 'Tomás Herrera'
    t.strictSame(shown, { organization_name: 'Acme', email, full_name, role: 'hr' })
    t.ok(Date.parse(expires_at) > Date.now() + 6.9 * 24 * 60 * 60 * 1000)
    t.strictSame(await auditEvents(call, admin), before)
    t.match((await accept(link)).body, { user_id })
  })

  t.test('accepts the token only in the body', async (t) => {
    const { link } = await invite()
    const { status } = await call('getInvitation', { query: { token: link } })
    t.equal(status, 422)
    await look(link)
    t.ok(log.some((line) => line.includes('get-invitation')))
    t.notOk(
      log.some((line) => line.includes(link)),
      'no log line contains it',
    )
  })

  t.test('answers the same for every unknown link', async (t) => {
    const { link } = await invite()
    const nearly = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`
    const ofNoOrganization = createOpaqueToken(randomUUID()).text
    const answers = await Promise.all(
      [nearly, ofNoOrganization, createOpaqueToken(organization_id).text, 'nonsense'].map(look),
    )
    for (const { status, body } of answers) {
      t.strictSame({ status, body }, { status: 422, body: answers[0]?.body })
    }
    t.match(answers[0], refused('link_unknown'))
    for (const value of [null, 7, '', undefined]) t.equal((await look(value)).status, 422)
  })

  t.test('has a limit of 300 guesses a minute', async (t) => {
    const { headers } = await limited.call('getInvitation', { body: { token: 'nonsense' } })
    t.equal(headers.get('ratelimit-limit'), '300')
  })
})

t.test('An invalid invitation link is reported as', async (t) => {
  const expectRefusal = async (
    t: { match(found: unknown, wanted: unknown): void },
    link: string,
    type: string,
  ) => {
    for (const use of [look, accept]) t.match(await use(link), refused(type))
  }

  t.test('used, after an acceptance or a new password', async (t) => {
    const first = await invite()
    await accept(first.link)
    await expectRefusal(t, first.link, 'link_used')
    const second = await invite()
    t.equal((await reset(await askForLink(second.email, 2))).status, 204)
    await expectRefusal(t, second.link, 'link_used')
  })

  t.test('expired, and as replaced after it is sent again', async (t) => {
    const { email, user_id, link } = await invite()
    const past = { expires_at: new Date(Date.now() - 1).toISOString() }
    await db.updateTable('invitations').set(past).where('user_id', '=', user_id).execute()
    await expectRefusal(t, link, 'link_expired')
    await call('resendInvitation', member(user_id))
    await expectRefusal(t, link, 'link_replaced')
    t.equal((await look(await linkTo(email, 2))).status, 200)
  })

  t.test('revoked', async (t) => {
    const { user_id, link } = await invite()
    await call('revokeInvitation', member(user_id))
    await expectRefusal(t, link, 'link_revoked')
  })

  t.test('inactive, when the person is inactive', async (t) => {
    const { user_id, link } = await invite()
    const change = { token, params: { user_id }, body: { is_active: false } }
    await call('updateUser', change)
    await expectRefusal(t, link, 'inactive')
  })
})

t.test('An invalid link for a new password is reported as', async (t) => {
  t.test('replaced by a newer link, or by a password', async (t) => {
    const { email } = await registerAdmin()
    const [older, newer] = [await askForLink(email, 1), await askForLink(email, 2)]
    t.match(await reset(older), refused('link_replaced'))
    const { body } = await call('login', { body: { email, password: admin.password } })
    const change = { current_password: admin.password, new_password: password }
    await call('changePassword', { token: body.access_token, body: change })
    t.match(await reset(newer), refused('link_replaced'))
  })

  t.test('used for 30 days, and unknown afterwards', async (t) => {
    const { email, user_id } = await registerAdmin()
    const used = await askForLink(email, 1)
    await reset(used)
    t.match(await reset(used), refused('link_used'))
    for (const [days, type] of [
      [29, 'link_used'],
      [31, 'link_unknown'],
    ] as const) {
      const ended_at = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString()
      await db.updateTable('ended_links').set({ ended_at }).where('user_id', '=', user_id).execute()
      t.match(await reset(used), refused(type), `after ${days} days`)
    }
    await reset(await askForLink(email, 2))
    const kept = db.selectFrom('ended_links').select('ended_as').where('user_id', '=', user_id)
    t.equal((await kept.execute()).length, 1, 'the next link that ends removes it')
  })

  t.test('replaced until ten more links have ended', async (t) => {
    const { email } = await registerAdmin()
    const first = await askForLink(email, 1)
    for (let letter = 2; letter <= 11; letter++) await askForLink(email, letter)
    t.match(await reset(first), refused('link_replaced'))
    await askForLink(email, 12)
    t.match(await reset(first), refused('link_unknown'))
  })
})
