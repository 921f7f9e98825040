import type { Config } from '../../process/config.js'
import { isLoopback } from '../network.js'
import {
  type Attempt,
  type Attempts,
  type DatabaseOf,
  limitAttempts,
  type OnError,
  unlimited,
} from './attempts.js'

const minuteS = 60
const hourS = 60 * minuteS
const dayS = 24 * hourS

export interface AttemptLimits {
  /** Wrong passwords for one account from one network. */
  failedLogins: Attempts
  /** Wrong passwords of callers without a token, for all accounts. */
  failuresOfNetworks: Attempts
  /** Letters of invitation from an organization to one address. */
  invitationLetters: Attempts
  /** Requests for a new password for one address, so that a mailbox is not flooded. */
  passwordResets: Attempts
  /** Registrations from one network. Refused ones count as well. */
  registrations: Attempts
  /** Unknown secrets of seat links. */
  seatGuesses: Attempts
  /** Letters to a user who wants to verify their e-mail address. */
  verificationLetters: Attempts
}

/** All limits of attempts. Nothing is limited while rate limits are off. */
export function createAttemptLimits(
  { rateLimit, registrationsPerDay }: Pick<Config, 'rateLimit' | 'registrationsPerDay'>,
  dbOf: DatabaseOf,
  onError: OnError,
): AttemptLimits {
  const allow = (limit: number, seconds: number, kind: string) =>
    rateLimit ? limitAttempts(dbOf, { kind, limit, seconds }, onError) : unlimited
  const allowNetworks = (...limit: Parameters<typeof allow>) => exceptLoopback(allow(...limit))
  return {
    failedLogins: allow(10, 15 * minuteS, 'login'),
    failuresOfNetworks: allowNetworks(100, 15 * minuteS, 'network'),
    invitationLetters: allow(10, hourS, 'invitation_letter'),
    passwordResets: allow(5, hourS, 'password_reset'),
    registrations: allowNetworks(registrationsPerDay, dayS, 'registration'),
    seatGuesses: allow(10, 15 * minuteS, 'seat'),
    verificationLetters: allow(5, dayS, 'verification_letter'),
  }
}

/** Does not limit this machine: behind a proxy that is not trusted, it stands for everyone. */
function exceptLoopback(attempts: Attempts): Attempts {
  const limitOf = ({ ip }: Attempt) => (isLoopback(ip) ? unlimited : attempts)
  return {
    count: (attempt) => limitOf(attempt).count(attempt),
    guess: (attempt, make) => limitOf(attempt).guess(attempt, make),
  }
}
