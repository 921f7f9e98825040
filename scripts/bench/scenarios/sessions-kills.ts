import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../../src/database/schema.js'
import type { Goal } from '../report.js'
import { clockOf, selectFaults, selectTakeOver } from '../sessions/delivery.js'
import { type Following, followSession } from '../sessions/reader.js'
import { insertMembers, insertSessions, withStage } from '../sessions/stage.js'
import type { Scenario } from '../setting.js'
import { type Side, startSide } from '../sides.js'

const roundMs = 8_000
const leadMs = 5_000
const mostMs = 2_000
/** Of a round: while its messages become due. */
const killMs = { from: 200, to: 1_000 }
/** Within it all sessions have a message due in each round. */
const spreadMs = 1_000
const organizations = 10

const sizes = {
  full: { rounds: 20, sessions: 500, readers: 50 },
  small: { rounds: 3, sessions: 100, readers: 10 },
}

/** Kills one process after the other in the middle of a round, and starts another in its place. */
async function killByTurns(
  { db, databaseUrl }: { db: Kysely<Database>; databaseUrl: string },
  sides: Side[],
  { anchorAt, rounds }: { anchorAt: Date; rounds: number },
): Promise<string[]> {
  const kills: string[] = []
  for (let round = 0; round < rounds; round++) {
    const within = killMs.from + Math.random() * (killMs.to - killMs.from)
    const waitMs = anchorAt.getTime() + round * roundMs + within - Date.now()
    if (waitMs < 0) throw new Error('The machine is too busy: a start outlasts a round')
    await sleep(waitMs)
    const one = round % sides.length
    // Before the kill, so that nothing of the time after it is left out.
    kills.push(await clockOf(db))
    await sides[one]?.stop('SIGKILL')
    sides[one] = await startSide('service', { databaseUrl })
  }
  return kills
}

/** One of the processes after the other, by the address it has by then. */
function addresses(sides: readonly Side[], first: number): () => string {
  let at = first
  return () => sides[at++ % sides.length]?.url ?? ''
}

function play(server: string, { rounds, sessions, readers }: (typeof sizes)['full']) {
  return withStage(server, async (stage) => {
    const { db, databaseUrl } = stage
    const admins = await insertMembers(db, { organizations })
    const place = { databaseUrl }
    const sides = [await startSide('service', place), await startSide('service', place)]
    try {
      const anchorAt = new Date(Date.now() + leadMs)
      const played = await insertSessions(db, {
        organizations: admins.map(({ organization_id }) => organization_id),
        ...{ sessions, lines: rounds, anchorAt, everyMs: roundMs, spreadMs },
        endMs: rounds * roundMs + spreadMs,
      })
      const following = played.slice(0, readers).map(({ _id, organization_id }, i) => {
        const admin = admins.find((one) => one.organization_id === organization_id)
        return followSession(_id, { token: admin?.token ?? '' }, addresses(sides, i))
      })
      const kills = await killByTurns(stage, sides, { anchorAt, rounds })
      const read = await Promise.all(following)
      await sleep(mostMs)
      const takeOvers = []
      for (const killedAt of kills) takeOvers.push(await selectTakeOver(db, killedAt))
      return { takeOvers, read, faults: await selectFaults(db) }
    } finally {
      await Promise.all(sides.map((side) => side.stop()))
    }
  })
}

/** Null where no kill met anything that was due. */
function longest(times: (number | null)[]): number | null {
  const known = times.filter((ms) => ms !== null)
  return known.length > 0 ? Math.max(...known) : null
}
const total = (read: Following[], name: keyof Following) =>
  read.reduce((sum, following) => sum + following[name], 0)

/** What becomes of messages and of those who read along when processes are killed. */
export const sessionsKills: Scenario = {
  name: 'sessions-kills',
  run: async ({ options, database }) => {
    const size = sizes[options.small ? 'small' : 'full']
    const { takeOvers, read, faults } = await play(database.url, size)
    const expected = size.readers * size.rounds
    const goals: Goal[] = [
      { what: 'messages missing', value: faults.missing, atMost: 0 },
      { what: 'messages twice', value: faults.twice, atMost: 0 },
      { what: 'sessions out of order', value: faults.broken, atMost: 0 },
      { what: 'messages and audit events without each other', value: faults.untold, atMost: 0 },
      { what: 'clocks set back', value: faults.shifted, atMost: 0 },
      {
        what: 'until the first of what was due is posted, longest',
        value: longest(takeOvers.map(({ firstMs }) => firstMs)),
        ...{ atMost: mostMs, unit: ' ms' },
      },
      {
        what: 'until all that was due is posted, longest',
        value: longest(takeOvers.map(({ allMs }) => allMs)),
        ...{ atMost: mostMs, unit: ' ms' },
      },
      { what: 'readers: gaps', value: total(read, 'gaps'), atMost: 0 },
      { what: 'readers: out of order or again', value: total(read, 'outOfOrder'), atMost: 0 },
      { what: 'readers: not read', value: expected - total(read, 'messages'), atMost: 0 },
    ]
    const rows = takeOvers.map(({ waiting, firstMs, allMs }, i) => {
      return { kill: i + 1, 'due then': waiting, 'first ms': firstMs, 'all ms': allMs }
    })
    const notes = [
      `${faults.due} messages were due. ${size.readers} readers were cut off ${total(read, 'cuts')} times.`,
    ]
    return { title: 'kill -9 of one of two processes, by turns', rows, goals, notes }
  },
}
