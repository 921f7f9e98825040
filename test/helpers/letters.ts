import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { Schema } from '../../src/contract.js'
import type { Db } from '../../src/database/schema.js'
import { linkIn, startMailbox, tokenIn } from './mailbox.js'
import { type Member, startService } from './service.js'

export const newEmail = () => `${randomUUID()}@example.com`

type Service = Pick<Awaited<ReturnType<typeof startService>>, 'call'>
type Caller = Pick<Member, 'token'>
type Mailbox = Awaited<ReturnType<typeof startMailbox>>

/** What a test of letters needs that a registration sends. */
export function lettersOf({ call }: Service, mailbox: Mailbox) {
  /** Registers an organization, as a person does. */
  async function register({
    via = call,
    ...fields
  }: Partial<Schema<'Registration'>> & { via?: typeof call } = {}) {
    const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
    const given = { email: newEmail(), password: 'correct horse battery', ...names, ...fields }
    const { body } = await via('register', { body: given })
    return { ...body, ...given, token: body.access_token } as Member
  }
  /** Returns the token in letter number `place` to an address. */
  const linkTo = async (email: string, place = 1) =>
    tokenIn(await mailbox.waitForLetter(email, place))
  const lettersTo = (email: string) => mailbox.letters.filter(({ to }) => to.includes(email)).length
  const verify = ({ token }: Caller, link: unknown) =>
    call('verifyEmail', { token, body: { token: link } })
  const resend = ({ token }: Caller) => call('resendVerification', { token })
  const me = async ({ token }: Caller) => (await call('getCurrentUser', { token })).body

  function invite(
    { token, organization_id }: Pick<Member, 'token' | 'organization_id'>,
    access_level = 'employee',
  ) {
    const body = { first_name: 'Tom', last_name: 'Herrera', email: newEmail(), access_level }
    return call('inviteMember', { token, params: { organization_id }, body })
  }

  /** Invites a person with a temporary password, who replaces it. */
  async function join(admin: Member, access_level: string) {
    const { body: invited } = await invite(admin, access_level)
    const { temporary_password: password } = invited
    const { email } = invited.user
    const { body: grant } = await call('login', { body: { email, password } })
    const change = { current_password: password, new_password: 'another horse, another battery' }
    const { body } = await call('changePassword', { token: grant.access_token, body: change })
    return { ...body, email, token: body.access_token } as Member
  }
  return { register, linkTo, lettersTo, verify, resend, me, invite, join }
}

/** Makes a person's reset link older than ten minutes, so that the next request sends another one. */
export async function ageResetLink(db: Db, email: string): Promise<void> {
  const inFortyMinutes = new Date(Date.now() + 40 * 60_000).toISOString()
  await db
    .updateTable('password_resets')
    .set({ expires_at: inFortyMinutes })
    .where('user_id', 'in', db.selectFrom('users').select('_id').where('email', '=', email))
    .execute()
}

/** Starts a service that sends mail, and whose links lead to its own pages. */
export async function startWithMail(t: Test) {
  const mailbox = await startMailbox(t)
  const service = await startService(t, {
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Simulations <no-reply@service.example>',
    APP_URL: 'http://account.test',
  })
  /** Plain HTTP with a host name, as inside a company. The port is known only after the start. */
  const address = `http://account.test:${new URL(service.url).port}`
  Object.assign(service.app.config, { appUrl: address })
  /** Returns the link in letter number `place` to an address. */
  const linkTo = async (email: string, place = 1) =>
    linkIn(await mailbox.waitForLetter(email, place))
  return { ...service, address, linkTo }
}
