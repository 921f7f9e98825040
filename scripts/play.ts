import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Schema } from '../src/contract.js'

const usage = `Plays the cast of a session from outside: npm run play -- --session ID [--url URL]

  --session ID   a session of mode external that runs or will start
  --url URL      where the service is (http://127.0.0.1:3000)
  API_KEYS       in the environment: keys of bots of its cast, separated by commas

Reads the stream of the session with the first key. Answers each message of a participant in its
thread, with one of the bots. Answers no message twice, also after a restart with the same keys. Write
your own characters in replyTo. Stops when the session ends.`

type Message = Schema<'SessionMessage'>

interface Connection {
  address: string
  keys: string[]
}

/** The answer of a character to a participant. Call your language model here. */
function replyTo({ content }: Message): string {
  return `I have read it: "${content.slice(0, 60)}"`
}

/** Yields the events of the stream after a `seq`, until the connection ends. */
async function* eventsAfter(
  { address, keys: [key = ''] }: Connection,
  after: number,
): AsyncGenerator<{ event: string; data: string }> {
  const headers = { 'x-api-key': key, 'last-event-id': String(after) }
  const response = await fetch(`${address}/events`, { headers })
  if (isAway(response)) return
  if (response.status === 204) {
    // The session has ended, and all its messages were read before.
    yield { event: 'end', data: '{"reason":"session_ended"}' }
    return
  }
  if (!response.ok || !response.body) throw await refusal(response)
  let text = ''
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => splitAt(line, ': ')))
      if (fields.has('data'))
        yield { event: fields.get('event') ?? '', data: fields.get('data') ?? '' }
    }
  }
}

function splitAt(line: string, mark: string): [string, string] {
  const [name = '', ...rest] = line.split(mark)
  return [name, rest.join(mark)]
}

/** Whether the service, or a proxy in front of it, asks to try again later. */
const isAway = ({ status }: Response) => status === 429 || status >= 500

async function refusal(response: Response): Promise<Error> {
  return new Error(`${response.status} ${await response.text()}`)
}

/** Answers in the thread of a message. The service stores a `client_message_id` only once. */
async function answer({ address, keys }: Connection, message: Message): Promise<void> {
  const { _id, seq, thread_id, conversation_id } = message
  const body = {
    conversation_id,
    thread_id: thread_id ?? _id,
    content: replyTo(message),
    client_message_id: `reply-to-${_id}`,
  }
  const headers = { 'x-api-key': keys[seq % keys.length] ?? '', 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${address}/messages`, init)
  if (isAway(response)) throw new TypeError('The service is away')
  if (response.ok) return
  if (response.status !== 409) throw await refusal(response)
  const { current_status } = (await response.json()) as { current_status?: string }
  // A paused session continues later. In all other states it has ended.
  if (current_status === 'paused') throw new TypeError('The session pauses')
}

async function play(connection: Connection): Promise<void> {
  let seq = 0
  for (let isOver = false; !isOver; ) {
    try {
      for await (const { event, data } of eventsAfter(connection, seq)) {
        const received = JSON.parse(data)
        if (event === 'end') isOver = received.reason === 'session_ended'
        if (event !== 'message') continue
        if (received.sender_kind === 'participant') await answer(connection, received)
        seq = received.seq
      }
    } catch (error) {
      // fetch throws a TypeError when the service is away; `answer` also does while the session pauses.
      if (!(error instanceof TypeError)) throw error
    }
    if (!isOver) await wait(1_000)
  }
}

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    session: { type: 'string' },
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
  },
})
const keys = (process.env.API_KEYS ?? '').split(',').filter(Boolean)
if (values.help) console.log(usage)
else if (!values.session || keys.length === 0) {
  console.error(usage)
  process.exitCode = 2
} else {
  const address = `${values.url}/api/v1/simulation/sessions/${encodeURIComponent(values.session)}`
  await play({ address, keys })
}
