import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonRequest, send } from '../client.js'
import { insertMembers } from '../database/members.js'
import { percentile } from '../measuring/statistics.js'
import { type Side, startService, withSides } from '../processes.js'
import { defineScenario } from '../scenario.js'
import { readMessages } from '../sessions/reader.js'
import { openScreen, type Screen, withBrowser } from '../sessions/screen.js'
import * as stages from '../sessions/stage.js'

const dayMs = 86_400_000
const participants = 50
const screens = 4
/** How long the last messages may take to arrive. */
const settleMs = 3_000

const sizes = {
  full: { messages: 600, perSecond: 5 },
  small: { messages: 30, perSecond: 5 },
}

interface Participant {
  user_id: string
  token: string
}

/** Inserts one running session of an organization, which all its employees have joined. */
async function insertTeam({ client }: stages.Stage) {
  const members = await insertMembers(client, { organizations: 1, employees: participants })
  const team = members.filter(({ role }) => role === 'employee')
  const [session] = await stages.insertSessions(client, {
    organizations: team.slice(0, 1).map(({ organization_id }) => organization_id),
    ...{ sessions: 1, rounds: 1, anchorAt: new Date(), everyMs: 0, spreadMs: 0, endMs: dayMs },
  })
  await stages.joinEmployees(client)
  await stages.settle(client)
  if (!session) throw new Error('There is no session')
  return { session, team }
}

/** Posts messages at a steady rate, each by another participant at the other process. */
async function postMessages(
  sides: Side[],
  session: stages.Played,
  team: Participant[],
  size: (typeof sizes)['full'],
): Promise<Map<string, number>> {
  const sentAt = new Map<string, number>()
  const posting = []
  for (let i = 0; i < size.messages; i++) {
    const content = randomUUID()
    const { conversation_id } = session
    const body = { conversation_id, content, client_message_id: content }
    const path = `/api/v1/simulation/sessions/${session._id}/messages`
    const { url = '' } = sides[i % sides.length] ?? {}
    const { token = '' } = team[i % team.length] ?? {}
    sentAt.set(content, Date.now())
    posting.push(send(url, jsonRequest('POST', path, body, token), 201))
    await sleep(1_000 / size.perSecond)
  }
  await Promise.all(posting)
  await sleep(settleMs)
  return sentAt
}

async function measure(stage: stages.Stage, size: (typeof sizes)['full']) {
  const { session, team } = await insertTeam(stage)
  const start = () => startService({ databaseUrl: stage.databaseUrl })
  return withSides([start, start], (sides) =>
    withBrowser(async (browser) => {
      const sideOf = (i: number) => sides[i % sides.length]?.url ?? ''
      const opened: Screen[] = []
      for (const [i, one] of team.slice(0, screens).entries()) {
        opened.push(await openScreen(browser, { url: sideOf(i), session_id: session._id, ...one }))
      }
      const read: { content: string; at: number }[] = []
      const streams = new AbortController()
      setMaxListeners(0, streams.signal)
      for (const [i, { token }] of team.slice(screens).entries()) {
        const source = { url: sideOf(i), session_id: session._id, token }
        const onMessage = ({ content }: { content: string }) =>
          read.push({ content, at: Date.now() })
        await new Promise<void>((resolve) => {
          void readMessages(source, onMessage, { onOpen: resolve, signal: streams.signal })
        })
      }
      const sentAt = await postMessages(sides, session, team, size)
      streams.abort()
      const seen = (await Promise.all(opened.map((screen) => screen.seen()))).flat()
      // A stream also brings what was there before.
      const delaysOf = (arrived: { content: string; at: number }[]) =>
        arrived.flatMap(({ content, at }) => {
          const sent = sentAt.get(content)
          return sent === undefined ? [] : at - sent
        })
      return { seen: delaysOf(seen), read: delaysOf(read) }
    }),
  )
}

export const pagesDelivery = defineScenario({
  name: 'pages-delivery',
  question: 'How soon is a post on the screens of fifty participants at two processes?',
  goals: {
    'post to screen, p99': { atMost: 1_000, unit: ' ms' },
    'post to the readers beside them, p99': { atMost: 1_000, unit: ' ms' },
    'messages that a screen or reader missed': { atMost: 0 },
  },
  run: ({ options, database }) =>
    stages.withStage(database.url, async (stage) => {
      const size = sizes[options.small ? 'small' : 'full']
      const { seen, read } = await measure(stage, size)
      const rowOf = (who: string, delays: number[]) => {
        const [p50 = null, p99 = null] = [0.5, 0.99].map((share) => percentile(delays, share))
        return { who, messages: delays.length, 'p50 ms': p50, 'p99 ms': p99 }
      }
      return {
        title: 'from a post to everybody',
        rows: [rowOf(`${screens} screens`, seen), rowOf(`${participants - screens} readers`, read)],
        figures: {
          'post to screen, p99': percentile(seen, 0.99),
          'post to the readers beside them, p99': percentile(read, 0.99),
          'messages that a screen or reader missed':
            size.messages * participants - seen.length - read.length,
        },
      }
    }),
})
