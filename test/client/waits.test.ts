import { waitBefore } from '../../src/client/backoff.js'
import { type Client, createClient } from '../../src/client/client.js'
import { t } from '../helpers/file.js'

const baseUrl = 'http://service.example'
const timing = { shortest: 20, longest: 80, silence: 10_000 }
/** So long that a test which has to wait for it fails by the time limit of its file. */
const day = 86_400_000
const never = { shortest: day, longest: day, silence: day }
const json = { 'content-type': 'application/json' }
const unavailable = () => Promise.reject(new TypeError('fetch failed'))
const streamed = async (...pieces: (string | Uint8Array)[]) =>
  new Response(new Blob(pieces).stream(), { headers: { 'content-type': 'text/event-stream' } })
const over = 'event: end\ndata: {"reason":"session_ended"}\n\n'

/** A stream that has this text, and in which nothing else happens until it is cut. */
const begin = (text: string, { signal }: Request) =>
  new Response(
    new ReadableStream({
      start(controller) {
        if (text) controller.enqueue(new TextEncoder().encode(text))
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
    }),
  )
const open = async (request: Request) => begin('retry: 2000\n', request)
const held = async (request: Request) => begin('', request)

/** A client whose requests get these answers in turn, and then always the last one. */
function createFake(...answers: ((request: Request) => Promise<Response>)[]) {
  const sent: { at: number; after: string | null }[] = []
  const fetch = (request: Request) => {
    sent.push({ at: performance.now(), after: request.headers.get('last-event-id') })
    const answer = answers[Math.min(sent.length, answers.length) - 1] ?? unavailable
    return answer(request)
  }
  const client = createClient({ baseUrl, fetch, timing })
  const waits = () => sent.slice(1).map(({ at }, i) => at - (sent[i]?.at ?? 0))
  return { client, sent, waits }
}

async function readAll(client: Client, after?: number) {
  const events = []
  for await (const event of client.streamSessionEvents('a', { after })) events.push(event)
  return events
}

t.test('Waits double up to a limit, and are spread at random', async (t) => {
  const usual = { shortest: 1_000, longest: 30_000, silence: 35_000 }
  const whole = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
  for (const [attempt, most] of [...whole.entries(), [2_000, 30_000] as const]) {
    const waits = Array.from({ length: 200 }, () => waitBefore(attempt, usual))
    t.ok(Math.min(...waits) >= most / 2 && Math.max(...waits) <= most, `try ${attempt}`)
    t.ok(Math.max(...waits) - Math.min(...waits) > most / 4, 'they are spread')
  }
})

t.test('An unavailable service is asked again, after longer and longer waits', async (t) => {
  const answers = Array.from({ length: 7 }, () => unavailable)
  const { client, waits } = createFake(...answers, () => streamed(over))
  t.equal((await readAll(client)).length, 1)
  t.equal(waits().length, 7)
  for (const [i, wait] of waits().entries()) {
    const least = Math.min(timing.shortest * 2 ** i, timing.longest) / 2
    t.ok(wait >= least - 2, `${wait} ms`)
  }
})

t.test('A service that sends Retry-After is not asked earlier', async (t) => {
  const init = { status: 503, headers: { ...json, 'retry-after': '1' } }
  const body = JSON.stringify({ code: 'unavailable', detail: 'Service temporarily unavailable' })
  const busy = async () => new Response(body, init)
  const { client, waits } = createFake(busy, () => streamed(over))
  await readAll(client)
  t.ok((waits()[0] ?? 0) >= 1_000)
})

t.test('A refusal is thrown, and no other request is sent', async (t) => {
  const body = JSON.stringify({ code: 'session_not_found', detail: 'Session not found' })
  const { client, sent } = createFake(
    async () => new Response(body, { status: 404, headers: json }),
  )
  const reading = readAll(client)
  await t.rejects(reading, /session_not_found/)
  t.equal(sent.length, 1)
})

t.test('A stream connects again after service_stops, but not after other ends', async (t) => {
  const stops =
    'id: 4\nevent: message\ndata: {"seq":4}\n\nevent: end\ndata: {"reason":"service_stops"}\n\n'
  const { client, sent } = createFake(
    () => streamed(stops),
    () => streamed(over.replace('session_ended', 'seat_taken_over')),
  )
  t.match(await readAll(client, 3), [
    { event: 'message', data: { seq: 4 } },
    { event: 'end', data: { reason: 'seat_taken_over' } },
  ])
  t.strictSame(
    sent.map(({ after }) => after),
    ['3', '4'],
  )
})

t.test('Characters and lines may be split anywhere', async (t) => {
  const content = 'Grüße 🎉\u2028next: \u2029line\nend'
  const text = `: \n\nretry: 2000\nid: 1\nevent: message\ndata: ${JSON.stringify({ content })}\n\n${over}`
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const { client } = createFake(async () => new Response(body))
  t.match(await readAll(client), [{ data: { content } }, { event: 'end' }])
})

t.test('A signal ends a stream that is open, and one that waits', async (t) => {
  for (const fetch of [open, unavailable]) {
    const client = createClient({ baseUrl, fetch, timing: never })
    const leaving = new AbortController()
    const stream = client.streamSessionEvents('a', {
      signal: leaving.signal,
      onState: (state) => state !== 'connecting' && setTimeout(() => leaving.abort(), 5),
    })
    t.ok((await stream.next()).done)
  }
})

t.test('A client in a browser that goes offline waits until it is online', async (t) => {
  const browser = new EventTarget()
  Reflect.set(globalThis, 'addEventListener', browser.addEventListener.bind(browser))
  t.teardown(() => Reflect.deleteProperty(globalThis, 'addEventListener'))
  const answers = [open, () => streamed(over)]
  const fetch = (request: Request) => (answers.shift() ?? unavailable)(request)
  const client = createClient({ baseUrl, fetch, timing: never })
  const states: string[] = []
  const happens = { connecting: 'nothing', open: 'offline', waiting: 'online' }
  for await (const { event } of client.streamSessionEvents('a', {
    onState(state) {
      states.push(state)
      setTimeout(() => browser.dispatchEvent(new Event(happens[state])))
    },
  })) {
    t.equal(event, 'end')
  }
  t.strictSame(states, ['connecting', 'open', 'waiting', 'connecting', 'open'])
})

t.test('A stream is open once something has arrived', async (t) => {
  const answers = [held, () => streamed(over)]
  const fetch = (request: Request) => (answers.shift() ?? unavailable)(request)
  const client = createClient({ baseUrl, fetch, timing: { ...timing, silence: 50 } })
  const states: string[] = []
  const onState = (state: string) => states.push(state)
  for await (const { event } of client.streamSessionEvents('a', { onState })) t.equal(event, 'end')
  t.strictSame(states, ['connecting', 'waiting', 'connecting', 'open'])
})

t.test('An error of a proxy also has a code', async (t) => {
  const { client } = createFake(async () => new Response('<h1>Bad gateway</h1>', { status: 502 }))
  await t.rejects(client.api.GET('/api/v1/auth/me'), /^502 http_error: <h1>/)
})
