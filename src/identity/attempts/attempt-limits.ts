import { isLoopback } from '../network.js'
import {
  type Attempt,
  type AttemptLimit,
  type Attempts,
  type DatabaseOf,
  limitAttempts,
  type OnError,
  unlimited,
} from './attempts.js'

const dayS = 24 * 60 * 60

/** Ten wrong passwords in 15 minutes. */
export const limitFailedLogins = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'login', limit: 10, seconds: 15 * 60 }, onError)

/** A hundred wrong passwords in 15 minutes from one network, for all accounts together. */
export const limitFailuresOfNetworks = (dbOf: DatabaseOf, onError: OnError) =>
  limitNetworks(dbOf, { kind: 'network', limit: 100, seconds: 15 * 60 }, onError)

/** 300 unknown refresh tokens a minute from one network. */
export const limitUnknownTokens = (dbOf: DatabaseOf, onError: OnError) =>
  limitNetworks(dbOf, { kind: 'refresh_token', limit: 300, seconds: 60 }, onError)

/** How many registrations a network may send in a day. Refused ones count as well. */
export const limitRegistrations = (limit: number) => (dbOf: DatabaseOf, onError: OnError) =>
  limitNetworks(dbOf, { kind: 'registration', limit, seconds: dayS }, onError)

/** Ten unknown secrets of seat links in 15 minutes. */
export const limitSeatGuesses = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'seat', limit: 10, seconds: 15 * 60 }, onError)

/** Five reset links an hour, so that a mailbox is not flooded. */
export const limitPasswordResets = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'password_reset', limit: 5, seconds: 60 * 60 }, onError)

/** Ten invitation letters an hour from an organization to one address. */
export const limitInvitationLetters = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'invitation_letter', limit: 10, seconds: 60 * 60 }, onError)

/** Five letters a day from an organization to admins who have not verified their e-mail address. */
export const limitVerificationLetters = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'verification_letter', limit: 5, seconds: dayS }, onError)

/** Limits networks, but not this machine: behind a proxy that is not trusted, it stands for everyone. */
function limitNetworks(dbOf: DatabaseOf, limit: AttemptLimit, onError: OnError): Attempts {
  const attempts = limitAttempts(dbOf, limit, onError)
  const limitOf = ({ ip }: Attempt) => (isLoopback(ip) ? unlimited : attempts)
  return {
    count: (attempt) => limitOf(attempt).count(attempt),
    guess: (attempt, make) => limitOf(attempt).guess(attempt, make),
  }
}
