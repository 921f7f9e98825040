import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadRequest } from './load.js'

const established = '01'
const checkMs = 250
/** Node looks twice: a connection may be idle for two of its timeouts. */
const longestMs = 90_000

export interface Stall {
  /** From the last byte that was taken until the service let go; null where nobody can see that. */
  cutAfterMs: number | null
  /** What came before it, with what was still on its way. */
  text: string
}

/** Asks for something long, and reads only its beginning. */
export async function stallReading(url: string, { path, headers }: LoadRequest): Promise<Stall> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const lines = Object.entries({ host: hostname, ...headers }).map((field) => field.join(': '))
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  const cutAfterMs = await timeUntilCut(socket)
  const text = first.toString() + (await readRest(socket))
  return { cutAfterMs, text }
}

/** A socket that does not read hears of no end: the system's own list tells of the other side. */
async function timeUntilCut(socket: Socket): Promise<number | null> {
  const startedAt = performance.now()
  for (;;) {
    const state = stateOfOtherSide(socket)
    const waited = performance.now() - startedAt
    if (state === null) return null
    if (state !== established) return waited
    if (waited > longestMs) throw new Error('A client that does not read is not cut off')
    await sleep(checkMs)
  }
}

/** Of the service's end of a connection, as Linux counts states; null where there is no such list. */
function stateOfOtherSide({ localPort = 0, remotePort = 0 }: Socket): string | null {
  const portOf = (address = '') => Number.parseInt(address.split(':')[1] ?? '', 16)
  try {
    const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)
    const fields = lines.map((line) => line.trim().split(/\s+/))
    const found = fields.find(
      ([, local, remote]) => portOf(local) === remotePort && portOf(remote) === localPort,
    )
    return found?.[3] ?? 'gone'
  } catch {
    return null
  }
}

async function readRest(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  socket.resume()
  await Promise.race([closed, sleep(longestMs, null, { ref: false })])
  socket.destroy()
  return text
}
