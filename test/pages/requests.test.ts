import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createGunzip } from 'node:zlib'
import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { openWorkplace } from '../helpers/workplace.js'

type Listed = Schema<'ListedSession'>

const service = await startService(t)
const { call, url } = service
const { pass } = sessionsOf(service)
const { session, admin, ben, cleo, join } = await openWorkplace(service)

interface Options {
  headers?: Record<string, string>
  /** Whether a stream has sent what the page waits for. */
  isRead?: (text: string) => boolean
}

/** Counts the requests of a page, and the bytes on its connections including headers. */
class Page {
  requests = 0
  bytes = 0
  readonly #token: string

  constructor({ token }: Pick<Member, 'token'>) {
    this.#token = token
  }

  async read(path: string, { headers, isRead }: Options = {}): Promise<string> {
    const asked = request(`${url}/api/v1/simulation${path}`, {
      agent: false,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'accept-encoding': 'gzip',
        ...headers,
      },
    }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    t.equal(answer.statusCode, 200, path)
    const isZipped = answer.headers['content-encoding'] === 'gzip'
    const text = await textOf(isZipped ? answer.pipe(createGunzip()) : answer, isRead)
    this.requests++
    this.bytes += answer.socket.bytesRead
    asked.destroy()
    return text
  }

  readonly json = async (path: string) => JSON.parse(await this.read(path))
}

async function textOf(pieces: AsyncIterable<Buffer>, isRead?: Options['isRead']): Promise<string> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (isRead?.(text)) break
  }
  return text
}

/** Reads what a participant sees after a reload: their sessions, and the last messages of one. */
async function drawParticipant(page: Page): Promise<void> {
  const sessions: Listed[] = await page.json('/sessions?participant=me&status=running')
  const [{ _id, messages } = { _id: '', messages: 0 }] = sessions
  await page.json(`/sessions/${_id}/briefing`)
  const isRead = (text: string) => text.includes(`\nid: ${messages}\n`) && text.endsWith('\n\n')
  const headers = { 'last-event-id': String(Math.max(0, messages - 20)) }
  await page.read(`/sessions/${_id}/events`, { headers, isRead })
}

/** Reads what a trainer sees: all running sessions with their changes, and one in detail. */
async function drawDesk(page: Page): Promise<void> {
  const sessions: Listed[] = await page.json('/sessions?status=running&status=paused')
  const hasAllSessions = (text: string) =>
    sessions.every(({ _id }) => text.includes(`"session_id":"${_id}"`))
  await page.read('/events', { isRead: (text) => hasAllSessions(text) && text.endsWith('\n\n') })
  await page.json('/speakers')
  await page.json(`/sessions/${sessions[0]?._id}/briefing`)
  await page.json(`/sessions/${sessions[0]?._id}/messages?latest=50`)
}

t.test('A page', async (t) => {
  const participants = [ben, cleo].map(({ user_id }) => ({ user_id }))
  const start = (who: typeof participants) => session({ participants: who }, 'startSession')
  for (let i = 0; i < 21; i++) await start(participants.slice(1))
  for (let i = 0; i < 3; i++) await join(ben, await start(participants))
  // Moves the newest sessions, which the pages read, to the middle of the drill.
  const { body: running } = await call('listSessions', { token: admin.token })
  await Promise.all(running.slice(0, 3).map((one: Listed) => pass(one, 45)))

  t.test('of a participant with three sessions needs three requests', async (t) => {
    const page = new Page(ben)
    await drawParticipant(page)
    t.equal(page.requests, 3)
    t.ok(page.bytes <= 30_720, `${page.bytes} bytes`)
  })

  t.test('of a trainer with 24 sessions needs five requests', async (t) => {
    const page = new Page(admin)
    await drawDesk(page)
    t.equal(page.requests, 5)
    t.ok(page.bytes <= 81_920, `${page.bytes} bytes`)
  })
})
