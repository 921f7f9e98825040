import { t } from '../helpers/file.js'
import { lettersOf } from '../helpers/letters.js'
import { startMailbox } from '../helpers/mailbox.js'
import { auditEvents, startService } from '../helpers/service.js'
import { rowsWritten } from '../helpers/templates.js'

const mailbox = await startMailbox(t)
const environment = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
}
const service = await startService(t, environment)
const { call, db } = service
const limited = await startService(t, { ...environment, RATE_LIMIT: 'on' })
const withoutMail = await startService(t)
const { register, linkTo, verify, resend, me, join } = lettersOf(service, mailbox)

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
