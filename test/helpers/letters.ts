import type { Test } from 'tap'
import { linkIn, startMailbox } from './mailbox.js'
import { startService } from './service.js'

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
