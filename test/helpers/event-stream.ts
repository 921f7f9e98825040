import type { Schema } from '../../src/contract.js'
import { schemaFaults } from './contract.js'
import type { Member } from './service.js'
import { until } from './until.js'

export interface StreamEvent {
  id: string | null
  event: string
  // Parsed JSON; the tests assert on its fields.
  data: ReturnType<typeof JSON.parse>
}

/** Collects the events of a session. Reads nothing from the stream until `begin` resolves. */
export function openEvents(
  url: string,
  reader: Pick<Member, 'token'>,
  session_id: string,
  headers: Record<string, string> = {},
  begin?: Promise<unknown>,
) {
  const path = `/api/v1/simulation/sessions/${session_id}/events`
  return follow({ address: url + path, schema: 'SessionEvents', headers, begin }, reader)
}

/** Collects the events of all running sessions of an organization. */
export function openDesk(url: string, reader: Pick<Member, 'token'>, query = '') {
  const address = `${url}/api/v1/simulation/events${query}`
  return follow({ address, schema: 'OrganizationEvents', headers: {} }, reader)
}

interface Stream {
  address: string
  /** The schema that names the events, with the schemas of their data. */
  schema: 'SessionEvents' | 'OrganizationEvents'
  headers: Record<string, string>
  begin?: Promise<unknown> | undefined
}

/**
 * Collects events and checks them against the contract. Repeats the request, as clients do, while the service
 * is too busy. Throws on access if the request was refused or an event has a fault.
 */
async function follow(stream: Stream, { token }: Pick<Member, 'token'>) {
  const leaving = new AbortController()
  const ask = () =>
    fetch(stream.address, {
      headers: {
        ...(token.startsWith('wss_')
          ? { 'x-api-key': token }
          : { authorization: `Bearer ${token}` }),
        ...stream.headers,
      },
      signal: leaving.signal,
    })
  let response = await ask()
  await until(async () => {
    if (response.status === 503) response = await ask()
    return response.status !== 503
  })
  const events: StreamEvent[] = []
  const faults = response.ok ? [] : [`${stream.address} was answered with ${response.status}`]
  let isOver = false
  const reading = Promise.resolve(stream.begin)
    .then(() =>
      read(response, (event) => events.push(event) && faults.push(...check(stream, event))),
    )
    .catch(() => {})
    .then(() => {
      isOver = true
    })

  const named = (name: string) => events.filter(({ event }) => event === name)
  const messageEvents = () => named('message')
  const unlessFaulty = <Result>(result: Result): Result => {
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return result
  }
  return {
    response,
    events,
    named: (name: string) => unlessFaulty(named(name).map(({ data }) => data)),
    messages: () => unlessFaulty(messageEvents().map(({ data }) => data)),
    seqs: () => messageEvents().map(({ data }) => data.seq as number),
    statuses: () => named('status').map(({ data }) => data.status),
    /** Waits for this number of messages. */
    waitForMessages: (count: number) => until(() => unlessFaulty(messageEvents().length >= count)),
    /** Waits until the last state of a session matches. */
    waitForSession: (session_id: string, like: Partial<Schema<'SessionStateEvent'>>) =>
      until(() => {
        const last = unlessFaulty(named('session')).findLast(
          ({ data }) => data.session_id === session_id,
        )
        return Object.entries(like).every(([name, value]) => last?.data[name] === value)
      }),
    isOver: () => isOver,
    waitForEnd: async () => {
      await reading
      unlessFaulty(null)
    },
    /** Closes the stream, and ignores later events. */
    async leave() {
      leaving.abort()
      await reading
      unlessFaulty(null)
    },
  }
}

function check({ schema }: Stream, { event, data }: StreamEvent): string[] {
  const faults = schemaFaults(['components', 'schemas', schema], { event, data })
  return faults.map((fault) => `${event} of ${schema}: ${fault}`)
}

async function read({ body }: Response, keep: (event: StreamEvent) => unknown): Promise<void> {
  let rest = ''
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    const blocks = (rest + Buffer.from(chunk).toString('latin1')).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) if (/^event: /m.test(block)) keep(parse(block))
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
