import type { FastifyBaseLogger } from 'fastify'
import { createTransport } from 'nodemailer'
import type { Config } from '../config.js'
import { Turns } from '../turns/turns.js'
import type { Letter } from './letter.js'

export interface Mail {
  isConfigured: boolean
  /**
   * Sends a letter in a turn of its organization. Returns whether the mail server took it within 5 s.
   * If not, the reason is logged. Never throws.
   */
  send(
    letter: Letter,
    organization_id: string,
    log: Pick<FastifyBaseLogger, 'warn'>,
  ): Promise<boolean>
  close(): void
}

/** How long the mail server may take for one letter, from the connection to its answer. */
const timeoutMs = 5_000

/** How many letters are under way at the same time, and so how many connections there are at most. */
const capacity = 12

/**
 * One organization has at most eight letters under way. All organizations whose letters take long have
 * eight together. A letter waits 5 to 10 s for its turn; another letter takes 5 s at most.
 */
const turnOptions = {
  capacity,
  reserve: 4,
  slowness: { ms: 1_000, most: 8 },
  longestQueue: 200,
  patienceMs: 2 * timeoutMs,
}

export function createMail({ smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>): Mail {
  if (!smtpUrl) return { isConfigured: false, send: async () => false, close: () => {} }
  const turns = new Turns(turnOptions)
  const transport = createTransport(optionsOf(smtpUrl), { from: mailFrom })

  async function deliver(letter: Letter): Promise<void> {
    // As an object the address is taken as it is; a text would be read as a list of them.
    const to = { name: '', address: letter.to }
    // The signal closes the connection. So the turn ends when nothing is under way any more.
    await transport.sendMail({ ...letter, to, signal: AbortSignal.timeout(timeoutMs) })
  }

  return {
    isConfigured: true,
    async send(letter, organization_id, log) {
      try {
        await turns.run(organization_id, () => deliver(letter))
        return true
      } catch (err) {
        log.warn({ err }, 'mail not taken')
        return false
      }
    },
    close: () => transport.close(),
  }
}

/** The connections stay open for the next letters. Those without a letter are closed after 4 s. */
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
    // Do not wait for the mail server to close its side too.
    socketCloseTimeout: 0,
  }
}
