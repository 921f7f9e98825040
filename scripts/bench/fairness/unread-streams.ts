import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonRequest } from '../client.js'
import type { Target } from './arena.js'
import type { Statuses } from './flood.js'
import {
  type Character,
  type Library,
  makeCharacters,
  type Place,
  runSession,
  sendShot,
  storeLibrary,
} from './scenery.js'
import type { Storm, Storming } from './storm.js'

/** Streams of each caller: the most that a process keeps open for one user. */
const streamsOfCaller = 20
const callers = 100
const openAtOnce = 50

/** Long messages from before the start, which every stream is sent. */
const library = (scenario_name: string, isSmall: boolean): Library => ({
  ...{ scenario_name, channels: isSmall ? 2 : 10, messages: 25 },
  content: (number) => `Message ${number}: ${'a long story '.repeat(750)}`,
})

interface Reader {
  session_id: string
  api_key: string
}

/** Bots of the casts of two sessions, since a setup makes at most 50. */
async function findReaders({ url, stormer: account, isSmall }: Target): Promise<Reader[]> {
  const place = { url, account }
  const readers: Reader[] = []
  for (const scenario_name of ['morning', 'evening']) {
    const cast = await makeCharacters(place, isSmall ? 5 : callers / 2, scenario_name)
    await storeLibrary(place, library(scenario_name, isSmall))
    const { _id: session_id } = await runSession(place, { scenario_name })
    for (const character of cast) {
      readers.push({ session_id, api_key: await keyOf(place, character) })
    }
  }
  return readers
}

async function keyOf({ url, account }: Place, { _id }: Character): Promise<string> {
  const path = `/api/v1/bots/${_id}/api-keys`
  const shot = jsonRequest('POST', path, { name: 'reader' }, account.token)
  return ((await sendShot(url, shot, 201)) as { api_key: string }).api_key
}

/** Opens a stream, reads where its answer begins and no further. */
async function openUnread(
  url: string,
  { session_id, api_key }: Reader,
): Promise<{ socket: Socket; status: number }> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  const path = `/api/v1/simulation/sessions/${session_id}/events`
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${api_key}\r\n\r\n`)
  const closed = new Promise<[Buffer]>((resolve) => {
    socket.once('close', () => resolve([Buffer.alloc(0)]))
  })
  const opened = once(socket, 'data').catch(() => closed) as Promise<[Buffer]>
  const [first] = await Promise.race([opened, closed])
  socket.pause()
  return { socket, status: Number(/^HTTP\/1.1 (\d+)/.exec(first.toString())?.[1] ?? 0) }
}

/** Opens the streams, a few at once, and keeps them until the signal comes. */
const openAll =
  (url: string, readers: Reader[]): Storming =>
  async (signal) => {
    const statuses: Statuses = new Map()
    const sockets: Socket[] = []
    const waiting = Array.from({ length: streamsOfCaller }, () => readers).flat()
    const connection = async () => {
      for (;;) {
        const reader = waiting.pop()
        if (!reader || signal.aborted) return
        const { socket, status } = await openUnread(url, reader)
        sockets.push(socket)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const opened = Promise.all(Array.from({ length: openAtOnce }, connection))
    if (!signal.aborted) await once(signal, 'abort')
    for (const socket of sockets) socket.destroy()
    await Promise.race([opened, sleep(1_000)])
    for (const socket of sockets) socket.destroy()
    return statuses
  }

export const unreadStreams: Storm = {
  name: '2,000 streams that do not read',
  prepare: async (target) => openAll(target.url, await findReaders(target)),
}
