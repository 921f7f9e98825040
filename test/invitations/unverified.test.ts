import { t } from '../helpers/file.js'
import { lettersOf, newEmail } from '../helpers/letters.js'
import { startMailbox } from '../helpers/mailbox.js'
import { type Member, startService } from '../helpers/service.js'
import { rowsWritten } from '../helpers/templates.js'

const mailbox = await startMailbox(t)
const service = await startService(t, {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
})
const { db } = service
const withoutMail = await startService(t)
const { register, linkTo, verify, invite } = lettersOf(service, mailbox)

const row = (access_level = 'employee') => {
  return { first_name: 'Mei', last_name: 'Tan', email: newEmail(), access_level }
}
const inviteMany = (
  { token, organization_id }: Member,
  invitations: object[],
  { via = service }: { via?: Pick<typeof service, 'call'> } = {},
) => via.call('inviteMembers', { token, params: { organization_id }, body: { invitations } })
const people = (count: number) => Array.from({ length: count }, () => row())
const refused = (used: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota: 'people', used, allowed: 10 },
})

t.test('An organization that is not verified', async (t) => {
  t.test('has at most ten people, and more once it is verified', async (t) => {
    const admin = await register()
    t.match(await inviteMany(admin, people(10)), refused(1))
    const { body } = await inviteMany(admin, people(8))
    t.ok(body.results.every(({ status }: { status: string }) => status === 'invited'))
    t.equal((await invite(admin)).status, 201)
    const before = await rowsWritten(db, admin.organization_id)
    t.match(await invite(admin), refused(10))
    t.match(await inviteMany(admin, [row(), row('bot')]), refused(10))
    t.strictSame(await rowsWritten(db, admin.organization_id), before)

    await verify(admin, await linkTo(admin.email))
    t.equal((await invite(admin)).status, 201)
  })

  t.test('does not exceed ten with concurrent invitations', async (t) => {
    const admin = await register()
    const { passwords } = service.app
    const { hash } = passwords
    t.teardown(() => {
      passwords.hash = hash
    })
    passwords.hash = async () => 'no hash, so that all meet in the database'
    const answers = await Promise.all(Array.from({ length: 14 }, () => invite(admin)))
    const statuses = answers.map(({ status }) => status).sort()
    t.strictSame(statuses, [...Array(9).fill(201), ...Array(5).fill(409)])
  })

  t.test('may have more bots, and more people without a mail server', async (t) => {
    const admin = await register()
    const bots = Array.from({ length: 12 }, () => row('bot'))
    const { body } = await inviteMany(admin, bots)
    t.ok(body.results.every(({ status }: { status: string }) => status === 'invited'))
    t.equal((await invite(admin)).status, 201, 'bots do not count')
    const { results } = (await inviteMany(admin, people(12), { via: withoutMail })).body
    t.ok(results.every(({ status }: { status: string }) => status === 'invited'))
    t.match(await invite(admin), refused(14))
  })
})
