import type { Member } from './service.js'
import { until } from './until.js'

export interface StreamEvent {
  id: string | null
  event: string
  // Parsed JSON, which a test asserts something about.
  data: ReturnType<typeof JSON.parse>
}

/** The events of a session as they come, for somebody who reads all the time from `begin` on. */
export async function openEvents(
  url: string,
  { token }: Pick<Member, 'token'>,
  session_id: string,
  headers: Record<string, string> = {},
  begin?: Promise<unknown>,
) {
  const leaving = new AbortController()
  const response = await fetch(`${url}/api/v1/simulation/sessions/${session_id}/events`, {
    headers: {
      ...(token.startsWith('wss_') ? { 'x-api-key': token } : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    signal: leaving.signal,
  })
  const events: StreamEvent[] = []
  let isOver = false
  const reading = Promise.resolve(begin)
    .then(() => read(response, events))
    .catch(() => {})
    .then(() => {
      isOver = true
    })

  const said = () => events.filter(({ event }) => event === 'message')
  return {
    response,
    events,
    messages: () => said().map(({ data }) => data),
    seqs: () => said().map(({ data }) => data.seq as number),
    statuses: () => events.filter(({ event }) => event === 'status').map(({ data }) => data.status),
    /** Waits until so many messages are there. */
    has: (count: number) => until(() => said().length >= count),
    isOver: () => isOver,
    over: () => reading,
    /** Goes away, and forgets what comes after that. */
    async leave() {
      leaving.abort()
      await reading
    },
  }
}

async function read({ body }: Response, events: StreamEvent[]): Promise<void> {
  let rest = ''
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    const blocks = (rest + Buffer.from(chunk).toString('latin1')).split('\n\n')
    rest = blocks.pop() ?? ''
    events.push(...blocks.filter((block) => !block.startsWith(':')).map(parse))
  }
}

function parse(block: string): StreamEvent {
  const fields = new Map(
    Buffer.from(block, 'latin1')
      .toString()
      .split('\n')
      .map((line) => {
        const [name = '', ...value] = line.split(': ')
        return [name, value.join(': ')]
      }),
  )
  const event = fields.get('event') ?? ''
  return { id: fields.get('id') ?? null, event, data: JSON.parse(fields.get('data') ?? '') }
}
