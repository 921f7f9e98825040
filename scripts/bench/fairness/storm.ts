import { setMaxListeners } from 'node:events'
import { Agent, type IncomingMessage, request as open } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../accounts.js'
import type { HttpRequest } from '../client.js'

export type StormRequest = Omit<HttpRequest, 'body'> & { body?: string | Buffer }

export interface Reply {
  status: number
  /** The beginning of the answer. */
  text: string
}

/** Counts of the answers by their status. */
export type Statuses = Map<number, number>

/** What one connection sends in one turn. The number never repeats. */
export type Turn = (
  ask: (request: StormRequest) => Promise<Reply>,
  number: number,
) => Promise<unknown>

/** The organization that storms, and the service. */
export interface Target {
  url: string
  account: Account
  isSmall: boolean
}

export interface Storm {
  name: string
  /** Makes the data of the storm over HTTP, and returns what storms until the signal comes. */
  prepare(target: Target): Promise<(signal: AbortSignal) => Promise<Statuses>>
}

/** Not the address from which the other organization reads: nginx counts by address. */
export const stormAddress = '127.0.0.2'
const connections = 50
const retryMs = 100
const maxBytes = 65_536

/** A storm in which every connection takes turns without pause. Faults do not end it. */
export const stormOf = (
  name: string,
  prepare: (target: Target) => Promise<Turn> | Turn,
): Storm => ({
  name,
  prepare: async (target) => {
    const turn = await prepare(target)
    return async (signal) => {
      setMaxListeners(0, signal)
      const agent = new Agent({
        keepAlive: true,
        maxSockets: connections,
        localAddress: stormAddress,
      })
      const statuses: Statuses = new Map()
      const ask = async (request: StormRequest) => {
        const reply = await askOnce(target.url, request, agent, signal)
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        return reply
      }
      let number = 0
      const connection = async () => {
        while (!signal.aborted) await turn(ask, ++number).catch(() => sleep(retryMs))
      }
      await Promise.all(Array.from({ length: connections }, connection))
      agent.destroy()
      return statuses
    }
  },
})

/** A storm that repeats the same requests. */
export const repeating = (name: string, requestsOf: (account: Account) => StormRequest[]) =>
  stormOf(name, ({ account }) => inTurns(requestsOf(account)))

export const inTurns =
  (requests: StormRequest[]): Turn =>
  (ask, number) =>
    ask(requests[number % requests.length] as StormRequest)

/** Sends one request. Throws when no whole answer comes. */
export function askOnce(
  url: string,
  { method, path, headers, body }: StormRequest,
  agent: Agent,
  signal: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = open(url + path, { method, headers, agent, signal })
    request.on('error', reject)
    request.on('response', (response: IncomingMessage) => {
      const { statusCode: status = 0 } = response
      let text = ''
      response.on('data', (piece: Buffer) => {
        if (text.length < maxBytes) text += piece
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status, text }))
      response.on('close', () => reject(new Error('The answer was cut off')))
    })
    request.end(body)
  })
}

export const describeStatuses = (statuses: Statuses) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none'
