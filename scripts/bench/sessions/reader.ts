import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Member } from './stage.js'

export interface StreamEvent {
  /** Of a message its `seq`; null of what has none. */
  id: number | null
  data: string
}

interface Place {
  url: string
  session_id: string
  token: string
  lastId?: number | null
}

const agent = new Agent({ keepAlive: false })

/**
 * Reads the events of a session until they end. Gives whether the service ended them, as it does when
 * the session is over or itself; false where the connection broke, or did not come about.
 */
export function readEvents(
  { url, session_id, token, lastId = null }: Place,
  onEvent: (event: StreamEvent) => void,
  signal?: AbortSignal,
): Promise<boolean> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastId !== null && { 'last-event-id': `${lastId}` }),
  }
  return new Promise((resolve) => {
    const options = { agent, headers, ...(signal && { signal }) }
    const request = get(`${url}/api/v1/simulation/sessions/${session_id}/events`, options)
    request.on('error', () => resolve(false))
    request.on('response', (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        const events = (text + piece).split('\n\n')
        // What a break cuts short is no event.
        text = events.pop() ?? ''
        for (const event of events) onEvent(eventOf(event))
      })
      response.on('error', () => resolve(false))
      response.on('close', () => resolve(response.complete && response.statusCode === 200))
    })
  })
}

function eventOf(text: string): StreamEvent {
  const fieldOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  const id = fieldOf('id')
  return { id: id === undefined ? null : Number(id), data: fieldOf('data') ?? '' }
}

/** What somebody met who read along, coming back with the last id wherever they were cut off. */
export interface Following {
  messages: number
  cuts: number
  gaps: number
  /** What came again, or after a later one. */
  outOfOrder: number
}

const comeBackMs = 50

/** Follows a session to its end, at another process each time. */
export async function followSession(
  session_id: string,
  { token }: Pick<Member, 'token'>,
  nextUrl: () => string,
): Promise<Following> {
  const following = { messages: 0, cuts: -1, gaps: 0, outOfOrder: 0 }
  let last = 0
  for (let isOver = false; !isOver; following.cuts++) {
    const place = { url: nextUrl(), session_id, token, lastId: last }
    isOver = await readEvents(place, ({ id }) => {
      if (id === null) return
      following.messages++
      if (id <= last) following.outOfOrder++
      else if (id > last + 1) following.gaps++
      last = Math.max(last, id)
    })
    if (!isOver) await sleep(comeBackMs)
  }
  return following
}
