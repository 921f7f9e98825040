import type { FastifyBaseLogger } from 'fastify'
import { createTransport } from 'nodemailer'
import type { Config } from '../process/config.js'
import { Turns } from '../turns/turns.js'
import type { Letter } from './letter.js'
import { printLetter } from './printed-letter.js'

export interface Mail {
  isConfigured: boolean
  /**
   * Sends a letter in a turn of its sender: an organization or a network. Returns whether the mail server
   * accepted it within 5 s. If not, logs the reason. Never throws.
   */
  send(letter: Letter, turnKey: string, log: Pick<FastifyBaseLogger, 'warn'>): Promise<boolean>
  close(): void
}

/** How long the mail server may take for one letter, from the connection to the answer. */
const timeoutMs = 5_000

/** How many letters are sent at the same time, each on its own connection. */
const capacity = 12

/**
 * One organization sends at most eight letters at the same time. All organizations whose letters take
 * long send eight together. A letter waits 5 to 10 s for its turn; sending one takes at most 5 s.
 */
const turnOptions = {
  capacity,
  reserve: 4,
  slowness: { ms: 1_000, capacity: 8 },
  longestQueue: 200,
  patienceMs: 2 * timeoutMs,
}

type MailConfig = Pick<Config, 'smtpUrl' | 'mailFrom' | 'mailToLog'>

export const isMailConfigured = ({
  smtpUrl,
  mailToLog,
}: Pick<MailConfig, 'smtpUrl' | 'mailToLog'>) => mailToLog || smtpUrl !== null

export function createMail({ smtpUrl, mailFrom, mailToLog }: MailConfig): Mail {
  if (mailToLog) return printedMail
  if (!smtpUrl) return { isConfigured: false, send: async () => false, close: () => {} }
  const turns = new Turns(turnOptions)
  const transport = createTransport(optionsOf(smtpUrl), { from: mailFrom })

  async function deliver(letter: Letter): Promise<void> {
    // As an object, because nodemailer would read a text as a list of addresses.
    const to = { name: '', address: letter.to }
    // The signal closes the connection, so the turn ends only when nothing is being sent.
    await transport.sendMail({ ...letter, to, signal: AbortSignal.timeout(timeoutMs) })
  }

  return {
    isConfigured: true,
    async send(letter, turnKey, log) {
      try {
        await turns.run(turnKey, () => deliver(letter))
        return true
      } catch (err) {
        log.warn({ err }, 'mail could not be sent')
        return false
      }
    },
    close: () => transport.close(),
  }
}

/** Prints mails for a developer, who opens the links in the log. */
const printedMail: Mail = {
  isConfigured: true,
  async send(letter) {
    printLetter(letter)
    return true
  },
  close: () => {},
}

/** Keeps connections open for the next letters, and closes idle ones after 4 s. */
function optionsOf(url: string) {
  return {
    url,
    pool: true as const,
    maxConnections: capacity,
    idleTimeout: 4_000,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // Do not wait until the mail server closes its side too.
    socketCloseTimeout: 0,
  }
}
