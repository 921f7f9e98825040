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
  /** Plain HTTP under the name of a host, as inside a company. Its port is known only now. */
  const address = `http://account.test:${new URL(service.url).port}`
  Object.assign(service.app.config, { appUrl: address })
  /** The link in the first letter to an address, or in a later one. */
  const linkTo = async (email: string, place = 1) =>
    linkIn(await mailbox.waitForLetter(email, place))
  return { ...service, address, linkTo }
}
