import { once, setMaxListeners } from 'node:events'
import { Agent, get } from 'node:http'
import {
  type Library,
  makeCharacters,
  post,
  runSession,
  sessionsPath,
  storeLibrary,
} from './scenery.js'
import { type Statuses, type Storm, stormAddress, type Target } from './storm.js'

/** The most streams that a process keeps open for one caller. */
const streamsOfCaller = 20
const callers = 100
const concurrency = 50

/** Long messages, which every stream begins with. */
const library = (scenario_name: string, isSmall: boolean): Library => ({
  scenario_name,
  channels: isSmall ? 2 : 10,
  messages: 25,
  content: (number) => `Message ${number}: ${'a long story '.repeat(750)}`,
})

interface Reader {
  path: string
  api_key: string
}

/** Makes bots in the casts of two sessions, because a setup makes at most 50. */
async function makeReaders(target: Target): Promise<Reader[]> {
  const readers: Reader[] = []
  for (const scenario_name of ['morning', 'evening']) {
    const size = target.isSmall ? 5 : callers / 2
    const cast = await makeCharacters(target, size, scenario_name)
    await storeLibrary(target, library(scenario_name, target.isSmall))
    const session = await runSession(target, { scenario_name })
    for (const { _id } of cast) {
      const path = `/api/v1/bots/${_id}/api-keys`
      const { api_key } = await post<{ api_key: string }>(target, path, { name: 'reader' }, 201)
      readers.push({ path: `${sessionsPath}/${session._id}/events`, api_key })
    }
  }
  return readers
}

/** Opens a stream and does not read it. Resolves to its status, or to 0 when it breaks. */
function openUnread(url: string, reader: Reader, agent: Agent, signal: AbortSignal) {
  return new Promise<number>((resolve) => {
    const headers = { 'x-api-key': reader.api_key }
    get(url + reader.path, { agent, headers, signal })
      .on('response', (response) => {
        response.on('error', () => {})
        resolve(response.statusCode ?? 0)
      })
      .on('error', () => resolve(0))
  })
}

export const unreadStreams: Storm = {
  name: '2,000 streams that do not read',
  prepare: async (target) => {
    const readers = await makeReaders(target)
    return async (signal) => {
      setMaxListeners(0, signal)
      const agent = new Agent({ localAddress: stormAddress })
      const statuses: Statuses = new Map()
      const waiting = Array.from({ length: streamsOfCaller }, () => readers).flat()
      const connection = async () => {
        for (let reader = waiting.pop(); reader && !signal.aborted; reader = waiting.pop()) {
          const status = await openUnread(target.url, reader, agent, signal)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, connection))
      if (!signal.aborted) await once(signal, 'abort')
      return statuses
    }
  },
}
