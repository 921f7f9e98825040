import { textOf } from '../helpers/documents.js'
import { t } from '../helpers/file.js'
import { person, placeWithDatabase, send, start, stopEverything } from '../helpers/process.js'

t.teardown(stopEverything)

const place = await placeWithDatabase(t, { isMigrated: true })
/** The settings of the command in docs/accounts.md. */
const [, settings = ''] = /`((?:\w+=\S+ )+)npm start`/.exec(textOf('docs/accounts.md')) ?? []
const environment: Record<string, string> = Object.fromEntries(
  settings
    .trim()
    .split(' ')
    .map((setting) => setting.split('=')),
)
t.strictSame(environment, { MAIL_TO_LOG: 'on', APP_URL: 'http://127.0.0.1:3000' })

/** Invites a person, who also asks for a new password. `verify` is called after the registration. */
async function useMail(base: string, name: string, verify = async (_token: string) => {}) {
  const { body: admin } = await send(base, '/auth/register', person(`ada@${name}.example`))
  await verify(admin.access_token)
  const email = `tom@${name}.example`
  const tom = { first_name: 'Tom', last_name: 'Herrera', email }
  const path = `/users/invite/${admin.organization_id}`
  const invited = await send(base, path, tom, admin.access_token)
  await send(base, '/auth/request-password-reset', { email })
  return { email, invited }
}

t.test('MAIL_TO_LOG=on prints usable mails at any log level', async (t) => {
  const service = start({ ...place, ...environment, LOG_LEVEL: 'silent' })
  const base = await service.address()
  const { email, invited } = await useMail(base, 'printed', async (access_token) => {
    const token = await service.says(/verify-email#([\w-]+)/)
    t.equal((await send(base, '/auth/verify-email', { token }, access_token)).status, 204)
  })
  t.match(invited.body, { email_sent: true, temporary_password: null })
  await service.says(/(Choose a new password)/)
  const letters = service.lines().filter(({ msg }) => msg === 'mail')
  t.match(letters, [
    { to: 'ada@printed.example', subject: 'Confirm your e-mail address' },
    { to: email, subject: 'Your invitation to a simulated workplace' },
    { to: email, subject: 'Choose a new password' },
  ])
  const [, token] =
    /^http:\/\/127\.0\.0\.1:3000\/accept-invitation#(\S+)$/m.exec(letters[1].text) ?? []
  const shown = await send(base, '/auth/get-invitation', { token })
  t.match(shown, { status: 200, body: { organization_name: 'Acme', email } })
  const password = 'tom has his own password'
  t.equal((await send(base, '/auth/accept-invitation', { token, password })).status, 200)
  t.notMatch(service.output(), password)
  t.equal(service.output().split(token ?? '').length, 2, 'the link is only in its letter')
  service.process.kill('SIGTERM')
  await service.exit
})

t.test('Without MAIL_TO_LOG the log has no link and no secret', async (t) => {
  const service = start(place)
  const base = await service.address()
  const { invited } = await useMail(base, 'silent')
  t.match(invited.body, { email_sent: false, temporary_password: /^.{24}$/ })
  service.process.kill('SIGTERM')
  const { output } = await service.exit
  t.match(output, 'request-password-reset')
  t.notMatch(output, invited.body.temporary_password)
  t.notMatch(output, /(token=|#)[\w-]{40}/)
})

t.test('MAIL_TO_LOG is refused in production', async (t) => {
  const JWT_SECRET = 'a secret for tests, 32 bytes long'
  const service = start({ ...place, ...environment, NODE_ENV: 'production', JWT_SECRET })
  const { code, output } = await service.exit
  t.equal(code, 1)
  t.match(output, 'MAIL_TO_LOG: must not be on in production')
})
