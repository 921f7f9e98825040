import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  ApiError,
  type Client,
  createClient,
  isRefusal,
  type Schema,
} from '../src/client/client.js'
import { beginningOf } from '../src/formats/graphemes.js'

const usage = `Plays the cast of a session from outside: npm run play -- --session ID [--url URL]

  --session ID   a session of mode external that runs or will start
  --url URL      where the service is (http://127.0.0.1:3000)
  API_KEYS       in the environment: keys of bots of its cast, separated by commas

Reads the stream of the session with the first key. Answers each message of a participant in its
thread, with one of the bots. Answers no message twice, also after a restart with the same keys. Write
your own characters in replyTo. Stops when the session ends.`

type Message = Schema<'SessionMessage'>

/** The answer of a character to a participant. Call your language model here. */
function replyTo({ content }: Message): string {
  return `I have read it: "${beginningOf(content, 60)}"`
}

/** Answers in the thread of a message. The service stores a `client_message_id` only once. */
async function answer(bot: Client, message: Message): Promise<void> {
  const { _id, session_id, thread_id, conversation_id } = message
  const body = {
    conversation_id,
    thread_id: thread_id ?? _id,
    content: replyTo(message),
    client_message_id: `reply-to-${_id}`,
  }
  const path = '/api/v1/simulation/sessions/{session_id}/messages'
  while (true) {
    try {
      await bot.api.POST(path, { params: { path: { session_id } }, body })
      return
    } catch (error) {
      // A paused session continues later. In all other states it has ended.
      const isPaused = error instanceof ApiError && error.body.current_status === 'paused'
      if (isRefusal(error) && error.status === 409 && !isPaused) return
      if (isRefusal(error) && !isPaused) throw error
    }
    await wait(1_000)
  }
}

async function play(bots: [Client, ...Client[]], session_id: string): Promise<void> {
  for await (const { event, data } of bots[0].streamSessionEvents(session_id)) {
    if (event === 'end' && data.reason !== 'session_ended') throw new Error(data.reason)
    if (event !== 'message' || data.sender_kind !== 'participant') continue
    await answer(bots[data.seq % bots.length] ?? bots[0], data)
  }
}

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    session: { type: 'string' },
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
  },
})
const [key, ...keys] = (process.env.API_KEYS ?? '').split(',').filter(Boolean)
if (values.help) console.log(usage)
else if (!values.session || !key) {
  console.error(usage)
  process.exitCode = 2
} else {
  const botOf = (apiKey: string) => createClient({ baseUrl: values.url, apiKey })
  await play([botOf(key), ...keys.map(botOf)], values.session)
}
