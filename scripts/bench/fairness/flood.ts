import { setMaxListeners } from 'node:events'
import { Agent, type IncomingMessage, request as open } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Shot {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: string | Buffer
}

export interface Reply {
  status: number
  /** The beginning of the answer. */
  text: string
}

export type Ask = (shot: Shot) => Promise<Reply>

/** What a connection sends in one turn; the number is never the same. */
export type Turn = (ask: Ask, number: number) => Promise<unknown>

/** How many answers had each status. */
export type Statuses = Map<number, number>

const mostBytes = 65_536
const comeBackMs = 100

/** Takes turns without pause on every connection until the signal comes; faults are no failure. */
export async function flood(
  url: string,
  turn: Turn,
  { connections, signal }: { connections: number; signal: AbortSignal },
): Promise<Statuses> {
  setMaxListeners(0, signal)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses: Statuses = new Map()
  const ask: Ask = async (shot) => {
    const reply = await askOnce(url, shot, agent, signal)
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
    return reply
  }
  let number = 0
  const connection = async () => {
    while (!signal.aborted) await turn(ask, ++number).catch(() => sleep(comeBackMs))
  }
  await Promise.all(Array.from({ length: connections }, connection))
  agent.destroy()
  return statuses
}

/** Sends one request. Throws where no answer comes, or not the whole of it. */
export function askOnce(
  url: string,
  shot: Shot,
  agent: Agent,
  signal: AbortSignal,
): Promise<Reply> {
  const { method, path, headers, body } = shot
  return new Promise((resolve, reject) => {
    const request = open(url + path, { method, headers, agent, signal })
    request.on('error', reject)
    request.on('response', (response: IncomingMessage) => {
      const { statusCode: status = 0 } = response
      const pieces: Buffer[] = []
      let bytes = 0
      response.on('data', (piece: Buffer) => {
        if (bytes < mostBytes) pieces.push(piece)
        bytes += piece.length
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status, text: Buffer.concat(pieces).toString() }))
      response.on('close', () => reject(new Error('The answer was cut off')))
    })
    request.end(body)
  })
}
