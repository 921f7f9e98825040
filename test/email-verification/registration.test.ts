import { t } from '../helpers/file.js'
import { lettersOf, newEmail } from '../helpers/letters.js'
import { startMailbox, tokenIn } from '../helpers/mailbox.js'
import { startService } from '../helpers/service.js'
import { rowsOf } from '../helpers/walk.js'

const mailbox = await startMailbox(t)
const service = await startService(t, {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
})
const { call, db } = service
const { register, linkTo, lettersTo, verify, resend } = lettersOf(service, mailbox)

t.test('register', async (t) => {
  t.test('sends a letter that has no word of the person who registers', async (t) => {
    const email = newEmail()
    const names = { organization_name: 'Pay now', first_name: 'Click', last_name: 'Here' }
    const { organization_id } = await register({ email, ...names })
    const letter = await mailbox.waitForLetter(email)
    t.equal(letter.subject, 'Confirm your e-mail address')
    t.match(letter.text, /^https:\/\/app\.example\/verify-email#[\w-]{65}[AQgw]$/m)
    t.match(letter.text, /once, for seven days/)
    t.notMatch(letter.subject + letter.text + letter.html, /Pay|Click|Here/)
    const rows = (await rowsOf(db, organization_id)).join('\n')
    t.notOk(rows.includes(tokenIn(letter)), 'only the hash of the link is stored')
  })

  t.test('answers while the mail server refuses the letter, which can be sent again', async (t) => {
    mailbox.behave('refuse')
    const before = mailbox.attempts()
    const admin = await register()
    await mailbox.waitForAttempt(before + 1)
    t.match(await resend(admin), { status: 200, body: { email_sent: false } })
    mailbox.behave('accept')
    t.match(await resend(admin), { status: 200, body: { email_sent: true } })
    t.equal((await verify(admin, await linkTo(admin.email))).status, 204)
  })

  t.test('sends nothing when it is refused', async (t) => {
    const { email } = await register()
    await mailbox.waitForLetter(email)
    const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
    const answer = await call('register', {
      body: { email, password: 'correct horse battery', ...names },
    })
    t.equal(answer.body.code, 'email_exists')
    t.equal(lettersTo(email), 1)
  })
})
