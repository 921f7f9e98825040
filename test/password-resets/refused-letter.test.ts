import { t } from '../helpers/file.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const mailbox = await startMailbox(t, 'refuse')
const { call, db, registerAdmin } = await startService(t, {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
})

t.test('requestPasswordReset', async (t) => {
  t.test('sends another link at once if the mail server refuses the first', async (t) => {
    const { user_id, email } = await registerAdmin()
    const links = () =>
      db.selectFrom('password_resets').selectAll().where('user_id', '=', user_id).execute()
    await call('requestPasswordReset', { body: { email } })
    await until(() => mailbox.attempts() === 1)
    await until(async () => (await links()).length === 0)

    mailbox.behave('accept')
    await call('requestPasswordReset', { body: { email } })
    const token = tokenIn(await mailbox.waitForLetter(email))
    const body = { token, new_password: 'a password of my own' }
    t.equal((await call('resetPassword', { body })).status, 204)
  })
})
