import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

interface Source {
  url: string
  session_id: string
  token: string
  lastId?: number
}

/** A message of a stream, with its `seq`. */
interface Message {
  id: number
  content: string
}

/** How a decision stands, as the stream says it. */
export interface DecisionEvent {
  beat: string
  status: string
  option: string | null
}

interface Listeners {
  onOpen?: () => void
  onDecision?: (decision: DecisionEvent) => void
  signal?: AbortSignal
}

const agent = new Agent({ keepAlive: false })

/**
 * Reads the messages of a session, after a call when the stream is open. Resolves to true when the
 * service ended the stream because the session is over, and to false when the connection broke.
 */
export function readMessages(
  { url, session_id, token, lastId }: Source,
  onMessage: (message: Message) => void,
  { onOpen = () => {}, onDecision = () => {}, signal }: Listeners = {},
): Promise<boolean> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastId !== undefined && { 'last-event-id': `${lastId}` }),
  }
  return new Promise((resolve) => {
    const options = { agent, headers, ...(signal && { signal }) }
    const request = get(`${url}/api/v1/simulation/sessions/${session_id}/events`, options)
    request.on('error', () => resolve(false))
    request.on('response', (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        onOpen()
        const events = (text + piece).split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) {
          const [, id] = /^id: (\d+)$/m.exec(event) ?? []
          const [, data = '{}'] = /^data: (.*)$/m.exec(event) ?? []
          if (id) onMessage({ id: Number(id), content: JSON.parse(data).content })
          if (/^event: decision$/m.test(event)) onDecision(JSON.parse(data))
        }
      })
      response.on('error', () => resolve(false))
      response.on('close', () =>
        resolve(response.complete && [200, 204].includes(response.statusCode ?? 0)),
      )
    })
  })
}

/** What a reader met who reconnects with the last id after every break. */
export interface Following {
  session_id: string
  decisions: DecisionEvent[]
  messages: number
  breaks: number
  /** Messages that were left out, came again or came after a later one. */
  misplaced: number
}

const reconnectMs = 50

/** Follows a session to its end, from another process after each break. */
export async function followSession(
  session_id: string,
  token: string,
  nextUrl: () => string,
): Promise<Following> {
  const following: Following = {
    session_id,
    decisions: [],
    ...{ messages: 0, breaks: -1, misplaced: 0 },
  }
  let lastId = 0
  for (let isOver = false; !isOver; following.breaks++) {
    const source = { url: nextUrl(), session_id, token, lastId }
    const onMessage = ({ id }: Message) => {
      following.messages++
      if (id !== lastId + 1) following.misplaced++
      lastId = Math.max(lastId, id)
    }
    const onDecision = (decision: DecisionEvent) => following.decisions.push(decision)
    isOver = await readMessages(source, onMessage, { onDecision })
    if (!isOver) await sleep(reconnectMs)
  }
  return following
}
