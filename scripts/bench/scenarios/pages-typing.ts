import { setTimeout as sleep } from 'node:timers/promises'
import { insertMembers } from '../database/members.js'
import { percentile } from '../measuring/statistics.js'
import { startService, withSides } from '../processes.js'
import { defineScenario } from '../scenario.js'
import { openScreen, withBrowser } from '../sessions/screen.js'
import * as stages from '../sessions/stage.js'

const dayMs = 86_400_000
const messages = 1_000
/** How long the page rests after the messages have arrived. */
const restMs = 3_000
const sentence = 'the quick brown fox jumps over the lazy dog '
const repeats = { full: 25, small: 2 }

/** Inserts a running session, whose plan posts all messages at its start, and an employee who has joined it. */
async function insertLongSession({ client }: stages.Stage) {
  const members = await insertMembers(client, { organizations: 1, employees: 1 })
  const writer = members.find(({ role }) => role === 'employee')
  if (!writer) throw new Error('There is no employee')
  const [session] = await stages.insertSessions(client, {
    organizations: [writer.organization_id],
    ...{ sessions: 1, rounds: messages, anchorAt: new Date(), everyMs: 0, spreadMs: 0 },
    endMs: dayMs,
  })
  if (!session) throw new Error('There is no session')
  await stages.joinEmployees(client)
  await stages.settle(client)
  return { session_id: session._id, ...writer }
}

export const pagesTyping = defineScenario({
  name: 'pages-typing',
  question:
    'How soon is a letter on the screen of a participant, in a channel with 1,000 messages?',
  goals: { 'typing a letter among 1,000 messages, p99': { atMost: 50, unit: ' ms' } },
  run: ({ options, database }) =>
    stages.withStage(database.url, async (stage) => {
      const writer = await insertLongSession(stage)
      const start = () => startService({ databaseUrl: stage.databaseUrl })
      const times = await withSides([start], ([side]) =>
        withBrowser(async (browser) => {
          const screen = await openScreen(browser, { url: side?.url ?? '', ...writer })
          await screen.has(messages)
          await sleep(restMs)
          return screen.type(sentence.repeat(repeats[options.small ? 'small' : 'full']))
        }),
      )
      const [p50 = null, p99 = null] = [0.5, 0.99].map((share) => percentile(times, share))
      return {
        title: 'from a key to the end of the frame that shows its letter',
        rows: [{ letters: times.length, 'p50 ms': p50, 'p99 ms': p99 }],
        figures: { 'typing a letter among 1,000 messages, p99': p99 },
      }
    }),
})
