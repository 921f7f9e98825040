import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { Schema } from '../../src/contract.js'
import { linkIn, startMailbox, tokenIn } from './mailbox.js'
import { type Member, startService } from './service.js'

export const newEmail = () => `${randomUUID()}@example.com`

type Service = Pick<Awaited<ReturnType<typeof startService>>, 'call'>
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
  return { register, linkTo, lettersTo }
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
