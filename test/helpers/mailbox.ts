import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import type { TAP } from 'tap'
import { until } from './until.js'

/**
 * What the mail server does with a letter: takes it, refuses it, receives it and never answers, cuts
 * the connection, takes 2 s for each of its answers, or never answers at all.
 */
export type Behaviour = 'accept' | 'refuse' | 'hang' | 'drop' | 'dawdle' | 'mute'

const dawdleMs = 2_000

export interface ReceivedLetter {
  /** The recipients, in lower case. */
  to: string[]
  /** Decoded header fields by name in lower case. */
  headers: Record<string, string>
  subject: string
  text: string
  html: string
}

/** A mail server on a free port, stopped after the test. Its `url` is an `SMTP_URL`. */
export async function startMailbox(t: Pick<TAP, 'teardown'>, behaviour: Behaviour = 'accept') {
  const letters: ReceivedLetter[] = []
  const sockets = new Set<Socket>()
  /** The ports of the clients whose letters are never answered. */
  const hanging = new Set<number>()
  const behaviourOfDomain = new Map<string, Behaviour>()
  let current = behaviour
  let attempts = 0
  let mostOpen = 0
  let mostHanging = 0

  const answer = async (done: () => void) => {
    if (current === 'mute') return
    if (current === 'dawdle') await wait(dawdleMs)
    done()
  }

  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: 1,
    onConnect: (_session, done) => void answer(done),
    onMailFrom: (_address, _session, done) => void answer(done),
    onRcptTo: (_address, _session, done) => void answer(done),
    async onData(stream, session, done) {
      const to = session.envelope.rcptTo.map(({ address }) => address.toLowerCase())
      const behaviour = behaviourOfDomain.get(to[0]?.split('@')[1] ?? '') ?? current
      attempts++
      if (behaviour === 'drop') return cut()
      const letter = readLetter(await textOf(stream), to)
      if (behaviour === 'hang') {
        hanging.add(session.remotePort)
        mostHanging = Math.max(mostHanging, hanging.size)
        return
      }
      if (behaviour === 'refuse') return done(new Error('Nobody here wants this'))
      letters.push(letter)
      done()
    },
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    mostOpen = Math.max(mostOpen, sockets.size)
    const { remotePort = 0 } = socket
    // A client may open its next connection before this side has closed the last one too.
    for (const event of ['end', 'close']) {
      socket.once(event, () => {
        sockets.delete(socket)
        hanging.delete(remotePort)
      })
    }
  })
  function cut() {
    for (const socket of sockets) socket.destroy()
  }

  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.teardown(async () => {
    cut()
    await new Promise<void>((resolve) => server.close(resolve))
  })

  /** Waits for letter number `place` to an address, in the order of arrival. The first is 1. */
  async function waitForLetter(to: string, place = 1): Promise<ReceivedLetter> {
    const find = () => letters.filter((one) => one.to.includes(to.toLowerCase()))[place - 1]
    const explain = () =>
      `Letter ${place} to ${to} has not arrived; there are ${letters.length} letters`
    await until(() => find() !== undefined, explain)
    const letter = find()
    if (!letter) throw new Error(explain())
    return letter
  }

  /** Waits until this number of letters has arrived, taken or not. */
  async function waitForAttempt(count: number): Promise<void> {
    await until(
      () => attempts >= count,
      () => `Only ${attempts} letters have arrived`,
    )
  }

  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    letters,
    waitForLetter,
    waitForAttempt,
    /** The number of letters that arrived, taken or not. */
    attempts: () => attempts,
    behave: (next: Behaviour) => {
      current = next
    },
    /** Sets the behaviour for the letters to one domain. */
    behaveTo: (domain: string, next: Behaviour) => void behaviourOfDomain.set(domain, next),
    /** The number of open connections. */
    open: () => sockets.size,
    /** The largest number of connections open at the same time. */
    mostOpen: () => mostOpen,
    /** The largest number of letters without an answer at the same time. */
    mostHanging: () => mostHanging,
    /** Closes every connection. The server has not taken the unfinished letters. */
    cut,
  }
}

/** The secret in the link of a letter. */
export function tokenIn({ text }: ReceivedLetter): string {
  const [, token] = /^https?:[^?#\s]+#([\w-]+)$/m.exec(text) ?? []
  if (!token) throw new Error(`No link with a token in:\n${text}`)
  return token
}

/** The link of a letter. */
export function linkIn({ text }: ReceivedLetter): string {
  const [link] = /https?:\S+/.exec(text) ?? []
  if (!link) throw new Error(`No link in:\n${text}`)
  return link
}

function readLetter(raw: string, to: string[]): ReceivedLetter {
  const { headers, body } = readPart(raw)
  const type = headers['content-type'] ?? ''
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1]
  const parts = boundary
    ? body
        .split(`--${boundary}`)
        .slice(1, -1)
        .map((part) => readPart(part.replace(/^\r?\n|\r?\n$/g, '')))
    : [{ headers, body }]
  const bodyOf = (wanted: string) =>
    parts.find((part) => part.headers['content-type']?.startsWith(wanted))?.body ?? ''
  return {
    to,
    headers,
    subject: headers.subject ?? '',
    text: bodyOf('text/plain'),
    html: bodyOf('text/html'),
  }
}

function readPart(raw: string) {
  const [head = '', ...rest] = raw.split(/\r?\n\r?\n/)
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    headers[name.toLowerCase()] = decodeWords(value)
  }
  const encoding = headers['content-transfer-encoding'] ?? '7bit'
  const body = rest.join('\n\n').replace(/\r\n/g, '\n')
  return { headers, body: decode(body, encoding.toLowerCase()) }
}

function decode(text: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString()
  if (encoding === 'quoted-printable') return decodeQuoted(text.replace(/=\n/g, ''))
  return text
}

/** Words such as `=?UTF-8?Q?S=C3=B6hne?=` in a header (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuoted(word.replaceAll('_', ' ')),
    )
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}
