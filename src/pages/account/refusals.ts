import { faultIn } from '../shared/service.js'

/** The reasons why a link does not work, for each of the pages that links open. */
const refusals = [
  'accept-invitation.link_unknown',
  'accept-invitation.link_used',
  'accept-invitation.link_expired',
  'accept-invitation.link_replaced',
  'accept-invitation.link_revoked',
  'accept-invitation.inactive',
  'reset-password.link_unknown',
  'reset-password.link_used',
  'reset-password.link_expired',
  'reset-password.link_replaced',
  'reset-password.inactive',
  'verify-email.link_unknown',
  'verify-email.link_used',
  'verify-email.link_expired',
  'verify-email.link_replaced',
] as const

export type Refusal = (typeof refusals)[number]
export type LinkPage = 'accept-invitation' | 'reset-password' | 'verify-email'

/** Returns why the service refuses a link for good; null if the error is about something else. */
export function refusalOf(error: unknown, page: LinkPage): Refusal | null {
  const fault = faultIn(error, 'body.token')
  // The link still works: the reader can log in with the right account.
  if (!fault || fault.type === 'other_account') return null
  return refusals.find((one) => one === `${page}.${fault.type}`) ?? `${page}.link_unknown`
}
