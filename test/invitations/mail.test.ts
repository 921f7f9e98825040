import { createHash, randomUUID } from 'node:crypto'
import { whileBroken } from '../helpers/broken-table.js'
import { t } from '../helpers/file.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { auditEvents, startService } from '../helpers/service.js'
import { rowsOf } from '../helpers/walk.js'

const mailbox = await startMailbox(t)
const environment = { MAIL_FROM: 'Ümit <mail@acme.example>', APP_URL: 'https://app.example/x/' }
const service = await startService(t, { SMTP_URL: mailbox.url, ...environment })
const { app, call, db, registerAdmin, addMember } = service
const withoutServer = await startService(t, { SMTP_URL: 'smtp://127.0.0.1:1', ...environment })
const admin = await registerAdmin({ organization_name: 'Söhne & <b>Co' })
const { token, organization_id } = admin
const params = { organization_id }
const password = 'a password of my own'

const names = { first_name: 'Tomás', last_name: 'Herrera' }
const newEmail = () => `${randomUUID()}@example.com`
const invite = (fields: Record<string, unknown> = {}) =>
  call('inviteMember', { token, params, body: { ...names, email: newEmail(), ...fields } })
const accept = (token: unknown, chosen = password) =>
  call('acceptInvitation', { body: { token, password: chosen } })
const login = (email: string, password: string) => call('login', { body: { email, password } })
const tokenRefused = (type: string) => ({ detail: [{ loc: ['body', 'token'], type }] })

/** Invites a person. Returns the letter and the token in it. */
async function inviteByMail(fields: Record<string, unknown> = {}) {
  const { body } = await invite(fields)
  const { email, _id: user_id } = body.user
  const letter = await mailbox.waitForLetter(email)
  return { email, user_id, letter, link: tokenIn(letter) }
}
const change = (user_id: string, is_active: boolean) =>
  call('updateUser', { token, params: { user_id }, body: { is_active } })
async function statusOf(user_id: string) {
  const { body } = await call('listInvitations', { token, params })
  return body.find((one: { user_id: string }) => one.user_id === user_id)?.status
}

t.test('inviteMember', async (t) => {
  t.test('sends a link as text and as HTML, and returns no password', async (t) => {
    const email = `Tomas.${randomUUID()}@Example.com`
    const { status, body } = await invite({ email })
    t.equal(status, 201)
    t.match(body, { email_sent: true, temporary_password: null })
    const { to, headers, subject, text, html } = await mailbox.waitForLetter(email)
    t.strictSame(to, [email.toLowerCase()])
    t.match(headers.from, /Ümit.*<mail@acme\.example>/)
    t.match(headers['content-type'], /^multipart\/alternative/)
    t.equal(subject, 'Your invitation to a simulated workplace')
    t.match(text, 'Tomás Herrera')
    t.match(text, 'Söhne & <b>Co has invited you')
    const [link] = /https:\S+/.exec(text) ?? []
    t.match(link, /^https:\/\/app\.example\/x\/accept-invitation#[\w-]{65}[AQgw]$/)
    t.ok(html.includes(`href="${link}"`))
    t.ok(html.includes('S\u00f6hne &amp; &lt;b&gt;Co has invited you'))
    t.notMatch(html, '<b>')
    t.notMatch(html, '<img')
    t.equal((await login(email, 'anything at all')).status, 401)
  })

  t.test('uses the branding of the organization, escaped', async (t) => {
    const sister = await registerAdmin({ organization_name: 'Legal name' })
    const params = { organization_id: sister.organization_id }
    const body = {
      company_name: 'Brand "X" & \'Y\' <i>',
      logo_url: 'https://acme.example/logo.svg?a=1&b="onerror="2',
      primary_color: '#0B5FFF',
    }
    await call('updateBranding', { token: sister.token, params, body })
    const person = { first_name: '<script>', last_name: '&', email: newEmail() }
    const answer = await call('inviteMember', { token: sister.token, params, body: person })
    t.match(answer.body, { organization_name: 'Legal name', email_sent: true })
    const { text, html } = await mailbox.waitForLetter(person.email)
    t.match(text, `${body.company_name} has invited you`)
    t.match(html, '#0B5FFF')
    t.ok(html.includes('src="https://acme.example/logo.svg?a=1&amp;b=&quot;onerror=&quot;2"'))
    t.ok(html.includes('alt="Brand &quot;X&quot; &amp; '))
    t.match(html, 'Hello &lt;script&gt; &amp;')
    t.notMatch(html, /<script|<i>|"onerror/)
  })

  t.test('writes an address in a name so that it is no link', async (t) => {
    const email = newEmail()
    await invite({ email, first_name: 'acme-payroll.com', last_name: '/verify' })
    const { text, html } = await mailbox.waitForLetter(email)
    const written = 'Hello acme-payroll\u2060.\u2060com \u2060/\u2060verify'
    for (const part of [text, html]) t.ok(part.includes(written))
  })

  t.test('sends nothing for an invitation that is refused or rolled back', async (t) => {
    const before = mailbox.attempts()
    t.equal((await invite({ email: admin.email })).status, 409)
    const email = newEmail()
    await whileBroken(db, 'audit_events', 'at commit', async (refused) => {
      const { status } = await invite({ email })
      t.ok(refused.includes(status), `${status}`)
    })
    t.equal(mailbox.attempts(), before)
    t.equal((await invite({ email })).status, 201)
  })

  t.test('sends nothing to a bot', async (t) => {
    const before = mailbox.attempts()
    const { body } = await invite({ access_level: 'bot' })
    t.match(body, { email_sent: false, temporary_password: null })
    t.equal(mailbox.attempts(), before)
  })

  t.test('uses the exact address, and no address inside it', async (t) => {
    const inner = newEmail()
    for (const local of [`${randomUUID()},`, `(${randomUUID()})`, `${randomUUID()};`]) {
      t.equal((await invite({ email: local + inner })).status, 422)
    }
    const { status, body } = await invite({ email: `${randomUUID()}+${inner}` })
    t.equal(status, 201)
    t.equal(body.user.email.endsWith(`+${inner}`), true)
    t.notOk(mailbox.letters.some(({ to }) => to.includes(inner)))
  })

  for (const behaviour of ['refuse', 'drop', 'hang'] as const) {
    t.test(`returns a temporary password if the mail server is set to ${behaviour}`, async (t) => {
      const { send } = app.mail
      const links: string[] = []
      app.mail.send = (letter, organization_id, log) => {
        links.push(tokenIn({ ...letter, to: [], headers: {} }))
        return send(letter, organization_id, log)
      }
      t.teardown(() => {
        app.mail.send = send
        mailbox.behave('accept')
      })
      mailbox.behave(behaviour)
      const before = mailbox.attempts()
      const { status, body } = await invite()
      t.equal(status, 201)
      t.ok(mailbox.attempts() > before)
      t.match(body, { email_sent: false, temporary_password: /^.{24}$/ })
      t.equal((await login(body.user.email, body.temporary_password)).status, 200)
      t.equal(links.length, 1)
      const answer = await accept(links[0])
      t.equal(answer.status, 422)
      t.match(answer.body, tokenRefused('link_replaced'))
    })
  }

  t.test(
    'returns no password of a person who has become admin while the letter was sent',
    async (t) => {
      const { send } = app.mail
      t.teardown(() => {
        app.mail.send = send
      })
      const hr = await addMember(organization_id, 'hr')
      const body = { ...names, email: newEmail() }
      app.mail.send = async () => {
        const { body: found } = await call('listUsers', { token, query: { q: body.email } })
        const promotion = { params: { user_id: found[0]._id }, body: { role: 'admin' } }
        t.equal((await call('updateUser', { token, ...promotion })).status, 200)
        return false
      }
      const answer = await call('inviteMember', { token: hr.token, params, body })
      t.match(answer, { status: 201, body: { email_sent: false, temporary_password: null } })
      const held = db.selectFrom('credentials').select('user_id')
      t.strictSame(await held.where('user_id', '=', answer.body.user._id).execute(), [])
    },
  )

  t.test('returns a temporary password when there is no mail server', async (t) => {
    const { token, organization_id } = await withoutServer.registerAdmin()
    const options = { token, params: { organization_id }, body: { ...names, email: newEmail() } }
    const answer = await withoutServer.call('inviteMember', options)
    t.equal(answer.status, 201)
    t.match(answer.body, { email_sent: false, temporary_password: /^.{24}$/ })
  })
})

t.test('acceptInvitation', async (t) => {
  t.test('sets the password and logs the person in', async (t) => {
    const { email, user_id, link } = await inviteByMail({ access_level: 'hr' })
    t.equal(await statusOf(user_id), 'pending')
    const { status, headers, body } = await accept(link)
    t.equal(status, 200)
    t.equal(headers.get('cache-control'), 'no-store')
    t.match(body, { user_id, organization_id, role: 'hr', token_type: 'bearer', expires_in: 3600 })
    t.equal((await call('listUsers', { token: body.access_token })).status, 200)
    t.equal((await login(email, password)).status, 200)
    t.equal(await statusOf(user_id), 'accepted')
    const [event] = await auditEvents(call, admin, { event_type: 'invitation_accepted' })
    t.match(event, {
      category: 'invitation',
      status: 'success',
      actor_type: 'user',
      actor_id: user_id,
      metadata: { user_id },
    })
    t.notMatch(JSON.stringify(event), new RegExp(`${link}|${email}`))
  })

  t.test('works once, also for ten concurrent calls', async (t) => {
    const { link } = await inviteByMail()
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(link)))
    const statuses = answers.map(({ status }) => status)
    t.strictSame(statuses.sort(), [200, ...Array(9).fill(422)])
    const again = await accept(link)
    t.equal(again.status, 422)
    t.match(again.body, tokenRefused('link_used'))
  })

  t.test('expires after seven days', async (t) => {
    const { user_id, link } = await inviteByMail()
    const { body } = await call('listInvitations', { token, params })
    const { created_at, expires_at } = body[0]
    const days = (Date.parse(expires_at) - Date.parse(created_at)) / (24 * 60 * 60 * 1000)
    t.equal(Math.round(days * 100) / 100, 7)
    const past = { expires_at: new Date(Date.now() - 1).toISOString() }
    await db.updateTable('invitations').set(past).where('user_id', '=', user_id).execute()
    t.match((await accept(link)).body, tokenRefused('link_expired'))
    t.equal(await statusOf(user_id), 'expired')
  })

  t.test('refuses inactive people until they are active again', async (t) => {
    const { user_id, link } = await inviteByMail()
    await change(user_id, false)
    t.match((await accept(link)).body, tokenRefused('inactive'))
    await change(user_id, true)
    t.equal((await accept(link)).status, 200)
  })

  t.test('refuses an unknown token, and an invalid password', async (t) => {
    const { link } = await inviteByMail()
    const unknown = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`
    const other = Buffer.concat([Buffer.alloc(16, 7), Buffer.from(link, 'base64url').subarray(16)])
    for (const text of [unknown, other.toString('base64url'), 'nonsense', `${link}=`]) {
      const { status, body } = await accept(text)
      t.equal(status, 422)
      t.match(body, tokenRefused('link_unknown'))
    }
    for (const value of [null, 7, undefined]) t.equal((await accept(value)).status, 422)
    t.match((await accept(link, 'short')).body.detail, [{ loc: ['body', 'password'] }])
    t.equal((await accept(link)).status, 200)
  })

  t.test('stores only the SHA-256 of the token', async (t) => {
    const { link } = await inviteByMail()
    const rows = (await rowsOf(db, organization_id)).join('\n')
    t.ok(rows.includes(createHash('sha256').update(link).digest('hex')))
    t.notOk(rows.includes(link))
  })
})
