import { createHash } from 'node:crypto'
import argon2 from 'argon2'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { ageResetLink } from '../helpers/letters.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { auditEvents, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'
import { rowsOf } from '../helpers/walk.js'

const mailbox = await startMailbox(t)
const { call, db, registerAdmin, addMember } = await startService(t, {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'Simulations <no-reply@service.example>',
  APP_URL: 'https://app.example/',
})
/** One service without a mail server, and one with rate limits. */
const withoutMail = await startService(t, {})
const limited = await startService(t, { RATE_LIMIT: 'on' })
const password = 'correct horse battery staple'
const chosen = 'another horse, another battery'

const ask = (email: unknown) => call('requestPasswordReset', { body: { email } })
const reset = (token: unknown, secret: unknown = chosen) =>
  call('resetPassword', { body: { token, password: secret } })
const login = (email: string, secret: string) =>
  call('login', { body: { email, password: secret } })
const me = async (token: string) => (await call('getCurrentUser', { token })).status
const lettersTo = (email: string) => mailbox.letters.filter(({ to }) => to.includes(email)).length

async function askForLink(email: string, nth = 1): Promise<string> {
  await ageResetLink(db, email)
  await ask(email)
  return tokenIn(await mailbox.waitForLetter(email, nth))
}

const refused = (type: string) => [{ loc: ['body', 'token'], type }]

t.test('requestPasswordReset', async (t) => {
  t.test('mails a link, as text and as HTML in the colours of the organization', async (t) => {
    const { email, token, organization_id } = await registerAdmin({ first_name: 'Zoë <b>' })
    const branding = {
      company_name: 'Nord & Söhne',
      logo_url: 'https://nord.example/logo.svg?a=1&b=2',
      primary_color: '#0B5FFF',
    }
    await call('updateBranding', { token, params: { organization_id }, body: branding })
    t.strictSame(await ask(` ${email.toUpperCase()} `).then(({ status }) => status), 202)
    const letter = await mailbox.waitForLetter(email)
    t.strictSame(letter.to, [email])
    t.equal(letter.headers.from, 'Simulations <no-reply@service.example>')
    t.equal(letter.subject, 'Choose a new password')
    const link = `https://app.example/reset-password#${tokenIn(letter)}`
    t.ok(letter.text.includes(`\n${link}\n`))
    t.match(letter.text, /Zoë <b> Okafor[\s\S]*one hour[\s\S]*Nord & Söhne/)
    t.ok(letter.html.includes(`href="${link}"`))
    t.match(letter.html, /Zoë &lt;b&gt; Okafor[\s\S]*#0B5FFF[\s\S]*Nord &amp; Söhne/)
    t.ok(letter.html.includes('src="https://nord.example/logo.svg?a=1&amp;b=2"'))
    t.notMatch(letter.text + letter.html, password)
  })

  t.test('answers every caller the same, and mails only the account holder', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = await registerAdmin()
    const bot = await addMember(organization_id, 'bot')
    const inactive = await addMember(organization_id, 'employee')
    const { user_id: _id } = inactive
    await db.updateTable('users').set({ is_active: false }).where('_id', '=', _id).execute()
    const silent = ['nobody@example.com', 'no address', bot.email, inactive.email]
    for (const email of [...silent, admin.email]) {
      const { status, headers, body } = await ask(email)
      t.strictSame([status, body], [202, ''])
      t.strictSame(headers.get('content-length') ?? '0', '0')
    }
    // When the last address has a letter, the others would have theirs as well.
    await mailbox.waitForLetter(admin.email)
    for (const email of silent) t.equal(lettersTo(email), 0)
    t.equal((await rowsOf(db, organization_id)).filter((row) => /_reset/.test(row)).length, 0)
  })

  t.test('stores only the SHA-256 of a link, and records who it is for', async (t) => {
    const admin = await registerAdmin()
    const { user_id, organization_id } = admin
    const token = await askForLink(admin.email)
    const rows = (await rowsOf(db, organization_id)).join('\n')
    t.ok(rows.includes(createHash('sha256').update(token).digest('hex')))
    t.notOk(rows.includes(token))
    const [event] = await auditEvents(call, admin)
    t.match(event, { category: 'auth', event_type: 'password_reset_requested', actor_id: null })
    t.match(event, { actor_type: 'anonymous', status: 'info', metadata: { user_id } })
    t.notMatch(JSON.stringify(event), /token|[a-f0-9]{64}/)
  })

  t.test('behaves the same for an unknown account and without a mail server', async (t) => {
    const admin = await withoutMail.registerAdmin()
    for (const email of [admin.email, 'nobody@example.com']) {
      const { status, body } = await withoutMail.call('requestPasswordReset', { body: { email } })
      t.strictSame([status, body], [202, ''])
    }
    // A login is recorded after its answer, so it comes after all earlier events.
    await withoutMail.call('login', { body: { email: admin.email, password: 'wrong' } })
    const read = () => auditEvents(withoutMail.call, admin)
    await until(async () => (await read()).length >= 3)
    const events = await read()
    t.strictSame(events.map(({ event_type }) => event_type).sort(), [
      'login_failed',
      'organization_created',
      'user_registered',
    ])
    const { organization_id } = admin
    t.equal((await rowsOf(db, organization_id)).filter((row) => /_reset/.test(row)).length, 0)
  })

  t.test('keeps a link for ten minutes, however many ask, and then sends another', async (t) => {
    const admin = await registerAdmin()
    const { email, user_id } = admin
    await Promise.all(Array.from({ length: 10 }, () => ask(email)))
    const first = tokenIn(await mailbox.waitForLetter(email))
    for (const { status, body } of [await ask(email), await ask(email)]) {
      t.strictSame([status, body], [202, ''])
    }
    const expireIn = (minutes: number) =>
      db
        .updateTable('password_resets')
        .set({ expires_at: new Date(Date.now() + minutes * 60_000).toISOString() })
        .where('user_id', '=', user_id)
        .execute()
    await expireIn(51)
    await ask(email)
    // When another person has a letter, this one would have theirs as well.
    await askForLink((await registerAdmin()).email)
    t.equal(lettersTo(email), 1)
    t.equal((await auditEvents(call, admin, { event_type: 'password_reset_requested' })).length, 1)

    await expireIn(49)
    await ask(email)
    const second = tokenIn(await mailbox.waitForLetter(email, 2))
    t.match((await reset(first)).body.detail, refused('link_replaced'))
    t.equal((await reset(second)).status, 204)
    await ask(email)
    await mailbox.waitForLetter(email, 3)
  })

  t.test('does not wait for a mail server, whatever its behaviour', async (t) => {
    for (const behaviour of ['hang', 'refuse', 'drop'] as const) {
      mailbox.behave(behaviour)
      const { email } = await registerAdmin()
      const before = mailbox.attempts()
      t.equal((await ask(email)).status, 202)
      await mailbox.waitForAttempt(before + 1)
      t.equal(lettersTo(email), 0)
    }
    mailbox.behave('accept')
    await askForLink((await registerAdmin()).email)
  })

  t.test('is allowed five times an hour for an address, known or unknown', async (t) => {
    const { email: known } = await limited.registerAdmin()
    for (const email of [known, 'nobody@example.com']) {
      const ask = () => limited.call('requestPasswordReset', { body: { email } })
      for (let time = 0; time < 5; time++) t.equal((await ask()).status, 202)
      const { status, headers, body } = await ask()
      t.strictSame([status, body.code], [429, 'rate_limited'])
      t.ok(Number(headers.get('retry-after')) > 0)
    }
  })

  t.test('requires an address as text', async (t) => {
    for (const email of [7, null, undefined, '', 'x'.repeat(255)]) {
      t.equal((await ask(email)).status, 422)
    }
  })
})

t.test('resetPassword', async (t) => {
  t.test('sets the password, stored as argon2id, and ends every session', async (t) => {
    const admin = await registerAdmin()
    const { body: session } = await login(admin.email, password)
    t.equal(await me(session.access_token), 200)
    const { status, body } = await reset(await askForLink(admin.email))
    t.strictSame([status, body], [204, ''])
    for (const token of [admin.token, session.access_token]) t.equal(await me(token), 401)
    const { refresh_token } = session
    t.equal((await call('refreshToken', { body: { refresh_token } })).status, 401)
    t.equal((await login(admin.email, password)).status, 401)
    t.equal((await login(admin.email, chosen)).status, 200)
    const { password_hash } = await db
      .selectFrom('credentials')
      .select('password_hash')
      .where('user_id', '=', admin.user_id)
      .executeTakeFirstOrThrow()
    t.match(password_hash, /^\$argon2id\$v=19\$/)
    t.ok(await argon2.verify(password_hash, chosen))
    const { body: again } = await login(admin.email, chosen)
    const reader = { ...admin, token: again.access_token }
    const events = await auditEvents(call, reader, { event_type: 'password_reset' })
    t.match(events, [{ category: 'auth', actor_type: 'user', actor_id: admin.user_id }])
    t.notMatch(JSON.stringify(events), /horse|argon2|token/)
  })

  t.test('accepts a link once, even for many concurrent uses', async (t) => {
    const { email } = await registerAdmin()
    const token = await askForLink(email)
    const secrets = Array.from({ length: 5 }, (_, attempt) => `password number ${attempt}`)
    const answers = await Promise.all(secrets.map((secret) => reset(token, secret)))
    t.strictSame(answers.map(({ status }) => status).sort(), [204, 422, 422, 422, 422])
    const winner = answers.findIndex(({ status }) => status === 204)
    t.equal((await login(email, secrets[winner] ?? '')).status, 200)
    t.match((await reset(token)).body.detail, refused('link_used'))
  })

  t.test('accepts only the newest link, for one hour', async (t) => {
    const { email, user_id } = await registerAdmin()
    const older = await askForLink(email)
    const newest = await askForLink(email, 2)
    t.match((await reset(older)).body.detail, refused('link_replaced'))
    const resets = () =>
      db.selectFrom('password_resets').selectAll().where('user_id', '=', user_id).execute()
    const [stored] = await resets()
    const life = Date.parse(stored?.expires_at ?? '') - Date.parse(stored?.created_at ?? '')
    t.equal(Math.round(life / 60_000), 60)
    const expires_at = new Date(Date.now() - 1000).toISOString()
    await db
      .updateTable('password_resets')
      .set({ expires_at })
      .where('user_id', '=', user_id)
      .execute()
    t.match((await reset(newest)).body.detail, refused('link_expired'))
    t.equal((await login(email, password)).status, 200)
  })

  t.test('refuses a link of a user who has become inactive', async (t) => {
    const { email, user_id } = await registerAdmin()
    const token = await askForLink(email)
    await db.updateTable('users').set({ is_active: false }).where('_id', '=', user_id).execute()
    t.match((await reset(token)).body.detail, refused('inactive'))
  })

  t.test('keeps a link valid when the password is refused', async (t) => {
    const { email } = await registerAdmin()
    const token = await askForLink(email)
    for (const secret of ['1234567', 'x'.repeat(129), null]) {
      const { status, body } = await reset(token, secret)
      t.equal(status, 422)
      t.match(body.detail, [{ loc: ['body', 'password'] }])
    }
    t.equal((await reset(token)).status, 204)
  })

  t.test('refuses an unknown link', async (t) => {
    const { organization_id } = await registerAdmin()
    for (const token of ['nonsense', createOpaqueToken(organization_id).text, '€']) {
      const { status, body } = await reset(token)
      t.equal(status, 422)
      t.match(body.detail, refused('link_unknown'))
    }
    for (const token of ['', null, 7]) t.equal((await reset(token)).status, 422)
  })

  t.test('accepts the invitation of an invited person, and voids the link in it', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const params = { organization_id }
    const email = `invited.${crypto.randomUUID()}@example.com`
    const body = { first_name: 'Tomás', last_name: 'Herrera', email }
    const invited = await call('inviteMember', { token, params, body })
    const invitation = tokenIn(await mailbox.waitForLetter(email))
    t.equal((await reset(await askForLink(email, 2))).status, 204)
    const { body: session } = await login(email, chosen)
    t.equal((await call('listUsers', { token: session.access_token })).status, 200)
    const acceptance = { body: { token: invitation, password } }
    t.equal((await call('acceptInvitation', acceptance)).status, 422)
    const { body: invitations } = await call('listInvitations', { token, params })
    t.match(invitations, [{ email, status: 'accepted' }])
    t.match(await auditEvents(call, admin, { event_type: 'invitation_accepted' }), [
      { category: 'invitation', actor_id: invited.body.user._id },
    ])
  })
})
