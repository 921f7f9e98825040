import { setTimeout as sleep } from 'node:timers/promises'
import { insertMembers } from '../database/members.js'
import { type Side, startService, withSides } from '../processes.js'
import { defineScenario } from '../scenario.js'
import { type Delivery, selectDelivery } from '../sessions/delivery.js'
import { type Following, followSession } from '../sessions/reader.js'
import { insertSessions, settle, withStage } from '../sessions/stage.js'

const minuteMs = 60_000
const maxOrganizations = 100
/** The clocks start so long after the inserts and the start of the processes. */
const leadMs = 30_000
/** Messages that are not posted so long after the measured time are missing. */
const patienceMs = 10_000

interface Play {
  sessions: number
  /** Each session has a message in every round. */
  roundMs: number
  /** In each round the messages are spread over this time. */
  spreadMs: number
  /** Messages that are due in this time are measured. */
  fromMs: number
  toMs: number
  /** In every round one process is killed. */
  hasKills: boolean
  readers: number
}

/** Plays sessions with two processes. */
function play(server: string, size: Play) {
  return withStage(server, async ({ databaseUrl, client }) => {
    const { sessions, roundMs, spreadMs, fromMs, toMs, hasKills, readers } = size
    const organizations = Math.min(sessions, maxOrganizations)
    const admins = await insertMembers(client, { organizations })
    const anchorAt = new Date(Date.now() + leadMs)
    const lines = Math.ceil((toMs + (hasKills ? 0 : patienceMs)) / roundMs)
    const played = await insertSessions(client, {
      organizations: admins.map(({ organization_id }) => organization_id),
      ...{ sessions, lines, anchorAt, everyMs: roundMs, spreadMs },
      endMs: readers > 0 ? lines * roundMs : null,
    })
    await settle(client)
    const start = () => startService({ databaseUrl })
    return withSides([start, start], async (sides) => {
      const following = played.slice(0, readers).map(({ _id, organization_id }, first) => {
        const admin = admins.find((one) => one.organization_id === organization_id)
        let turn = first
        return followSession(_id, admin?.token ?? '', () => sides[turn++ % 2]?.url ?? '')
      })
      const at = (ms: number) => new Date(anchorAt.getTime() + ms)
      if (hasKills) await killInTurns(sides, start, lines, (round) => at(round * roundMs))
      await sleep(at(toMs + patienceMs).getTime() - Date.now())
      const delivery = await selectDelivery(client, at(fromMs), at(toMs))
      return { ...size, ...delivery, lines, read: await Promise.all(following) }
    })
  })
}

/** Each kill comes in the part of a round in which messages are due. */
const killMs = { from: 200, to: 1_000 }

/** Kills one of the processes in each round, and starts another in its place. */
async function killInTurns(
  sides: Side[],
  start: () => Promise<Side>,
  rounds: number,
  startOf: (round: number) => Date,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const within = killMs.from + Math.random() * (killMs.to - killMs.from)
    const waitMs = startOf(round).getTime() + within - Date.now()
    if (waitMs < 0) throw new Error('The machine is too busy: a start takes longer than a round')
    await sleep(waitMs)
    await sides[round % 2]?.stop('SIGKILL')
    sides[round % 2] = await start()
  }
}

const rowOf = ({ sessions, due, missing, p50, p99, max }: Delivery & Play) => {
  return { sessions, messages: due, missing, 'p50 ms': p50, 'p99 ms': p99, 'max ms': max }
}

const faultsOf = ({ twice, unordered, unpaired, shifted }: Delivery) =>
  twice + unordered + unpaired + shifted

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

export const sessionsLag = defineScenario({
  name: 'sessions-lag',
  question: 'Are the messages of 10,000 sessions on time with two processes?',
  goals: {
    'delay of a message, p99, most sessions': { atMost: 1_500, unit: ' ms' },
    'messages missing': { atMost: 0 },
    'messages twice, out of order or without their audit event': { atMost: 0 },
  },
  run: async ({ options: { small }, database }) => {
    const [fromMs, toMs] = small ? [5_000, 20_000] : [minuteMs, 3 * minuteMs]
    const size = {
      roundMs: minuteMs,
      spreadMs: minuteMs,
      fromMs,
      toMs,
      hasKills: false,
      readers: 0,
    }
    const played = []
    for (const sessions of small ? [100] : [100, 1_000, 10_000]) {
      played.push(await play(database.url, { ...size, sessions }))
    }
    return {
      title: 'delay of messages, one a minute of each session',
      rows: played.map(rowOf),
      figures: {
        'delay of a message, p99, most sessions': played.at(-1)?.p99 ?? null,
        'messages missing': sum(played.map(({ missing }) => missing)),
        'messages twice, out of order or without their audit event': sum(played.map(faultsOf)),
      },
    }
  },
})

export const sessionsKills = defineScenario({
  name: 'sessions-kills',
  question: 'What do sessions and their readers lose when one of two processes is killed?',
  goals: {
    'delay of a message, longest': { atMost: 2_000, unit: ' ms' },
    'messages missing': { atMost: 0 },
    'messages twice, out of order or without their audit event': { atMost: 0 },
    'readers: left out, again or out of order': { atMost: 0 },
    'readers: not read': { atMost: 0 },
  },
  run: async ({ options: { small }, database }) => {
    const size = small ? { sessions: 100, readers: 10 } : { sessions: 500, readers: 50 }
    const times = { roundMs: 8_000, spreadMs: 1_000, fromMs: 0, toMs: (small ? 3 : 20) * 8_000 }
    const played = await play(database.url, { ...size, ...times, hasKills: true })
    const total = (name: keyof Following) => sum(played.read.map((following) => following[name]))
    return {
      title: `kill -9 of one of two processes in each of ${played.lines} rounds`,
      rows: [rowOf(played)],
      figures: {
        'delay of a message, longest': played.max,
        'messages missing': played.missing,
        'messages twice, out of order or without their audit event': faultsOf(played),
        'readers: left out, again or out of order': total('misplaced'),
        'readers: not read': size.readers * played.lines - total('messages'),
      },
      notes: [`${size.readers} readers met ${total('breaks')} breaks.`],
    }
  },
})
