import type { FastifyBaseLogger } from 'fastify'
import { createTransport } from 'nodemailer'
import type { Config } from '../config.js'
import type { Letter } from './letter.js'

export interface Mail {
  isConfigured: boolean
  /** Whether the mail server took the letter within 5 s; the log hears why not. Never throws. */
  send(letter: Letter, log: Pick<FastifyBaseLogger, 'warn'>): Promise<boolean>
}

const timeoutMs = 5_000

export function createMail({ smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>): Mail {
  if (!smtpUrl) return { isConfigured: false, send: async () => false }
  const timeouts = {
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  }
  const transport = createTransport({ url: smtpUrl, ...timeouts }, { from: mailFrom })
  return {
    isConfigured: true,
    async send(letter, log) {
      // As an object the address is taken as it is; a text would be read as a list of them.
      const to = { name: '', address: letter.to }
      const sending = transport.sendMail({ ...letter, to }).then(() => true)
      try {
        return await Promise.race([sending, timeout()])
      } catch (err) {
        log.warn({ err }, 'mail not taken')
        return false
      }
    },
  }
}

/** Each of nodemailer's timeouts is for one step; together they may take longer. */
function timeout(): Promise<never> {
  return new Promise((_resolve, reject) => {
    const late = () => reject(new Error(`The mail server took longer than ${timeoutMs} ms`))
    setTimeout(late, timeoutMs).unref()
  })
}
