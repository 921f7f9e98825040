import { randomUUID } from 'node:crypto'
import { t } from '../helpers/file.js'
import { startMailbox } from '../helpers/mailbox.js'
import { type Answer, type Member, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

/** The largest numbers of letters in progress, for all organizations and for one. */
const most = { all: 12, one: 8 }
const slow = 'slow.example'

async function start(t: Parameters<typeof startService>[0]) {
  const mailbox = await startMailbox(t)
  const environment = { MAIL_FROM: 'mail@acme.example', APP_URL: 'https://app.example' }
  const service = await startService(t, { SMTP_URL: mailbox.url, ...environment })
  const { call } = service

  const invite = ({ token, organization_id }: Member, domain = 'example.com') => {
    const email = `${randomUUID()}@${domain}`
    const body = { first_name: 'Tomás', last_name: 'Herrera', email }
    return call('inviteMember', { token, params: { organization_id }, body })
  }
  /** Sends many invitations concurrently, one per request, and collects the answers. */
  function inviteMany(as: Member, count: number, domain?: string) {
    const answers: Answer[] = []
    const invitations = Array.from({ length: count }, async () => {
      let answer = await invite(as, domain)
      // The service may be busy. Then a client sends the request again.
      while (answer.status === 503) answer = await invite(as, domain)
      answers.push(answer)
    })
    return { answers, all: Promise.all(invitations) }
  }
  return { mailbox, invite, inviteMany, ...service }
}

t.test('Letters of one organization that the mail server does not answer', async (t) => {
  const { mailbox, call, registerAdmin, invite, inviteMany } = await start(t)
  const [busy, other] = [await registerAdmin(), await registerAdmin()]
  mailbox.behaveTo(slow, 'hang')
  const { answers, all } = inviteMany(busy, 12, slow)
  await mailbox.waitForAttempt(most.one)

  t.test('leave room for an invitation and a password reset of another organization', async (t) => {
    t.match(await invite(other), { status: 201, body: { email_sent: true } })
    await call('requestPasswordReset', { body: { email: other.email } })
    await mailbox.waitForLetter(other.email)
  })

  t.test('are replaced by temporary passwords, and their connections are closed', async (t) => {
    await all
    t.equal(answers.length, 12)
    for (const { status, body } of answers) {
      t.equal(status, 201)
      t.match(body, { email_sent: false, temporary_password: /^.{24}$/ })
    }
    await until(() => mailbox.open() === 0)
    t.equal(mailbox.mostHanging(), most.one, 'one organization has at most eight in progress')
    t.ok(mailbox.mostOpen() <= most.all, `${mailbox.mostOpen()} concurrent connections`)
  })
})

t.test('Letters of many organizations', async (t) => {
  const { mailbox, registerAdmin, invite, inviteMany } = await start(t)
  const all = await Promise.all(Array.from({ length: 4 }, () => registerAdmin()))

  // A slow server gives each answer in time, but takes too long for a letter.
  for (const behaviour of ['dawdle', 'mute'] as const) {
    t.test(`open few connections while the mail server is ${behaviour}`, async (t) => {
      mailbox.behave(behaviour)
      const sent = all.map((admin) => inviteMany(admin, 6))
      await Promise.all(sent.map(({ all }) => all))
      for (const { answers } of sent) {
        for (const one of answers) t.match(one, { status: 201, body: { email_sent: false } })
      }
      t.ok(mailbox.mostOpen() <= most.all, `${mailbox.mostOpen()} concurrent connections`)
      t.equal(mailbox.letters.length, 0)
      await until(() => mailbox.open() === 0)
    })
  }

  t.test('arrive again as soon as the server answers', async (t) => {
    mailbox.behave('accept')
    for (const admin of all) t.match(await invite(admin), { body: { email_sent: true } })
    t.equal(mailbox.letters.length, all.length)
  })
})

t.test('Letters in sequence share a connection', async (t) => {
  const { app, mailbox, registerAdmin, invite } = await start(t)
  const admin = await registerAdmin()
  for (let letter = 0; letter < 5; letter++) {
    t.match(await invite(admin), { body: { email_sent: true } })
  }
  t.equal(mailbox.mostOpen(), 1)
  t.equal(mailbox.open(), 1)
  await app.close()
  await until(() => mailbox.open() === 0)
})
