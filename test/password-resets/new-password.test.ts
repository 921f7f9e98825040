import { randomUUID } from 'node:crypto'
import { t } from '../helpers/file.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { startService } from '../helpers/service.js'

const mailbox = await startMailbox(t)
const { call, registerAdmin } = await startService(t, {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@acme.example',
  APP_URL: 'https://app.example',
})
const { token, organization_id } = await registerAdmin()
const chosen = 'a password of my own'
const other = 'a password of another'

const login = async (email: string, password: string) =>
  (await call('login', { body: { email, password } })).status

async function invite() {
  const email = `${randomUUID()}@example.com`
  const body = { first_name: 'Tom', last_name: 'Herrera', email }
  await call('inviteMember', { token, params: { organization_id }, body })
  return { email, link: tokenIn(await mailbox.waitForLetter(email)) }
}

/** Both operations take a new password and the token of a letter. */
for (const operation of ['acceptInvitation', 'resetPassword'] as const) {
  async function send(fields: { new_password?: string; password?: string }) {
    const { email, link } = await invite()
    if (operation === 'acceptInvitation') {
      return { email, ...(await call(operation, { body: { token: link, ...fields } })) }
    }
    await call('acceptInvitation', { body: { token: link, new_password: other } })
    await call('requestPasswordReset', { body: { email } })
    const reset = tokenIn(await mailbox.waitForLetter(email, 2))
    return { email, ...(await call(operation, { body: { token: reset, ...fields } })) }
  }

  t.test(operation, async (t) => {
    t.test('accepts the password under both field names', async (t) => {
      const same = { new_password: chosen, password: chosen }
      const ways: Record<string, string>[] = [{ new_password: chosen }, { password: chosen }, same]
      for (const fields of ways) {
        const { email, status } = await send(fields)
        t.ok(status < 300, Object.keys(fields).join())
        t.equal(await login(email, chosen), 200)
      }
    })

    t.test('refuses two different passwords, and a missing password', async (t) => {
      const two = await send({ new_password: chosen, password: other })
      t.match(two, {
        status: 422,
        body: { detail: [{ loc: ['body', 'password'], type: 'contradictory' }] },
      })
      t.equal(await login(two.email, chosen), 401)
      const missing = { loc: ['body', 'new_password'], type: 'missing' }
      t.match(await send({}), { status: 422, body: { detail: [missing] } })
    })
  })
}
