import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonRequest, send } from '../client.js'
import { insertMembers } from '../database/members.js'
import { residentBytes } from '../measuring/process-meters.js'
import { percentile } from '../measuring/statistics.js'
import { type Side, startService, withSides } from '../processes.js'
import { defineScenario } from '../scenario.js'
import { readMessages } from '../sessions/reader.js'
import * as stages from '../sessions/stage.js'

const dayMs = 86_400_000
const readersOfSession = 20
const settleMs = 15_000

const sizes = {
  full: { sessions: 100, messages: 600, perSecond: 20 },
  small: { sessions: 10, messages: 60, perSecond: 10 },
}
type Size = (typeof sizes)['full']

interface Participant {
  token: string
  session: stages.Played
}

/** Inserts one session for each organization, whose employees have all joined. */
async function insertTeams({ client }: stages.Stage, sessions: number): Promise<Participant[]> {
  const size = { organizations: sessions, employees: readersOfSession }
  const members = await insertMembers(client, size)
  const team = members.filter(({ role }) => role === 'employee')
  const played = await stages.insertSessions(client, {
    organizations: [...new Set(team.map(({ organization_id }) => organization_id))],
    ...{ sessions, rounds: 1, anchorAt: new Date(), everyMs: 0, spreadMs: 0, endMs: dayMs },
  })
  await stages.joinEmployees(client)
  await stages.settle(client)
  const sessionOf = new Map(played.map((session) => [session.organization_id, session]))
  return team.flatMap(({ organization_id, token }) => {
    const session = sessionOf.get(organization_id)
    return session ? { token, session } : []
  })
}

/** Opens a stream for each participant, one after the other. */
async function openStreams(
  { url }: Side,
  participants: Participant[],
  signal: AbortSignal,
  onMessage: (message: { content: string }) => void,
): Promise<void> {
  setMaxListeners(0, signal)
  for (const { token, session } of participants) {
    await new Promise<void>((resolve, reject) => {
      const source = { url, session_id: session._id, token }
      const reading = readMessages(source, onMessage, { onOpen: resolve, signal })
      void reading.then(() => reject(new Error('A stream ended')))
    })
  }
}

/** Posts messages at a steady rate, each to another session. */
async function postMessages(
  { url }: Side,
  participants: Participant[],
  { messages, perSecond }: Size,
  onPost: (content: string) => void,
): Promise<void> {
  const posting = []
  for (let i = 0; i < messages; i++) {
    const participant = participants[(i * (readersOfSession + 1)) % participants.length]
    if (!participant) throw new Error('There are no participants')
    const { session, token } = participant
    const content = randomUUID()
    onPost(content)
    const { conversation_id } = session
    const body = { conversation_id, content, client_message_id: content }
    const path = `/api/v1/simulation/sessions/${session._id}/messages`
    posting.push(send(url, jsonRequest('POST', path, body, token), 201))
    await sleep(1_000 / perSecond)
  }
  await Promise.all(posting)
}

async function measure(stage: stages.Stage, size: Size) {
  const participants = await insertTeams(stage, size.sessions)
  const place = { databaseUrl: stage.databaseUrl }
  const collector = new URL('../sessions/collect-garbage.js', import.meta.url).href
  const collecting = { environment: { NODE_OPTIONS: `--import ${collector}` } }
  const starts = [() => startService(place), () => startService(place, collecting)]
  return withSides(starts, async ([poster, reader]) => {
    if (!poster || !reader) throw new Error('A process did not start')
    const sentAt = new Map<string, number>()
    const latencies: number[] = []
    const onMessage = ({ content }: { content: string }) => {
      const at = sentAt.get(content)
      if (at !== undefined) latencies.push(performance.now() - at)
    }
    const streams = new AbortController()
    const { signal } = streams
    const half = participants.length / 2
    // The first streams use memory that the start left free, so only the others are measured.
    await openStreams(reader, participants.slice(0, half), signal, onMessage)
    const before = await settledKiB(reader)
    await openStreams(reader, participants.slice(half), signal, onMessage)
    const opened = await settledKiB(reader)
    await postMessages(poster, participants, size, (content) => {
      sentAt.set(content, performance.now())
    })
    const after = await settledKiB(reader)
    streams.abort()
    return { half, opened: (opened - before) / half, used: (after - before) / half, latencies }
  })
}

async function settledKiB({ pid }: Side): Promise<number> {
  await sleep(settleMs)
  return (residentBytes(pid).now ?? Number.NaN) / 1_024
}

export const sessionsStreams = defineScenario({
  name: 'sessions-streams',
  question: 'What does an open stream cost, and how soon do readers at another process get a post?',
  goals: {
    'memory of an open stream': { atMost: 32, unit: ' KiB' },
    'memory of a stream after messages': { atMost: 32, unit: ' KiB' },
    'post to reader at the other process, p99': { atMost: 1_000, unit: ' ms' },
    'messages that a reader missed': { atMost: 0 },
  },
  run: ({ options, database }) =>
    stages.withStage(database.url, async (stage) => {
      const size = sizes[options.small ? 'small' : 'full']
      const { half, opened, used, latencies } = await measure(stage, size)
      const [p50 = null, p99 = null] = [0.5, 0.99].map((share) => percentile(latencies, share))
      return {
        title: 'open streams of one process',
        rows: [
          {
            streams: half,
            'KiB each': opened,
            'after messages': used,
            'p50 ms': p50,
            'p99 ms': p99,
          },
        ],
        figures: {
          'memory of an open stream': opened,
          'memory of a stream after messages': used,
          'post to reader at the other process, p99': p99,
          'messages that a reader missed': size.messages * readersOfSession - latencies.length,
        },
      }
    }),
})
