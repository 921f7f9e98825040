import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { getRequest, send } from '../client.js'
import type { Goal } from '../report.js'
import { Deliveries, openStreams, type Place, postByTurns } from '../sessions/crowd.js'
import { type Reading, readSettledMeter } from '../sessions/read-meter.js'
import { insertMembers, insertSessions, type Stage, settle, withStage } from '../sessions/stage.js'
import type { Scenario } from '../setting.js'
import { withSides } from '../sides.js'
import { percentile } from '../statistics.js'

const mostKiB = 32
const mostMs = 1_000
const dayMs = 86_400_000
const readersOfSession = 20
/** Long enough for a look and a check of access, and for what was opened to settle. */
const settleMs = 8_000

const sizes = {
  full: { sessions: 100, messages: 600, perSecond: 20 },
  small: { sessions: 10, messages: 60, perSecond: 10 },
}

/** One session an organization, whose members have all joined. */
async function insertTeams({ db }: Stage, sessions: number): Promise<Place[]> {
  const members = await insertMembers(db, { organizations: sessions, others: readersOfSession })
  const team = members.filter(({ role }) => role === 'employee')
  const played = await insertSessions(db, {
    organizations: [...new Set(team.map(({ organization_id }) => organization_id))],
    ...{ sessions, lines: 1, anchorAt: new Date(), everyMs: 0, spreadMs: 0, endMs: dayMs },
  })
  await sql`
    insert into session_assignments (organization_id, _id, session_id, user_id, pseudonym, joined_at)
    select organization_id, gen_random_uuid(), simulation_sessions._id, users._id,
      'P' || users.username, now()
    from simulation_sessions join users using (organization_id)
    where role = 'employee'`.execute(db)
  await settle(db)
  const sessionOf = new Map(played.map((session) => [session.organization_id, session]))
  return team.flatMap((member) => {
    const session = sessionOf.get(member.organization_id)
    return session ? { member, session } : []
  })
}

async function play(stage: Stage, size: (typeof sizes)['full']) {
  const places = await insertTeams(stage, size.sessions)
  const sides = ['service', 'metered service'] as const
  return withSides(sides, stage.databaseUrl, async ([poster, reader]) => {
    if (!poster || !reader) throw new Error('A process did not start')
    const deliveries = new Deliveries()
    const open = (of: Place[], signal: AbortSignal) =>
      openStreams(reader.url, of, deliveries, signal)
    // Whoever reads has asked something before, so that only the streams are measured.
    for (const { member, session } of places) {
      const path = `/api/v1/simulation/sessions/${session._id}/messages`
      await send(reader.url, getRequest(member.token, path), 200)
    }
    const warmUp = new AbortController()
    await open(places.slice(0, 50), warmUp.signal)
    warmUp.abort()
    const before = await readSettledMeter(reader.pid)
    const streams = new AbortController()
    const half = places.length / 2
    const readings = [before]
    for (const of of [places.slice(0, half), places.slice(half)]) {
      await open(of, streams.signal)
      await sleep(settleMs)
      readings.push(await readSettledMeter(reader.pid))
    }
    await postByTurns(poster.url, places, deliveries, { ...size, each: readersOfSession })
    await sleep(settleMs)
    readings.push(await readSettledMeter(reader.pid))
    streams.abort()
    return { count: places.length, readings, latencies: deliveries.latencies }
  })
}

/** What is held between two readings, for each of so many streams. */
function rowsOf(readings: Reading[], count: number) {
  const spans = [
    { what: 'first half', from: 0, to: 1, streams: count / 2 },
    { what: 'second half', from: 1, to: 2, streams: count / 2 },
    { what: 'all, after messages', from: 0, to: 3, streams: count },
  ]
  return spans.map(({ what, from, to, streams }) => {
    const each = (name: 'rss' | 'heapUsed') =>
      ((readings[to]?.[name] ?? 0) - (readings[from]?.[name] ?? 0)) / streams / 1024
    return { what, streams, 'resident KiB each': each('rss'), 'heap KiB each': each('heapUsed') }
  })
}

/** What an open stream costs, and how soon what is posted at another process is read. */
export const sessionsStreams: Scenario = {
  name: 'sessions-streams',
  run: ({ options, database }) =>
    withStage(database.url, async (stage) => {
      const size = sizes[options.small ? 'small' : 'full']
      const { count, readings, latencies } = await play(stage, size)
      const rows = rowsOf(readings, count)
      // The first ones take what requests have left free.
      const goals = rows.slice(1).map(
        (row): Goal => ({
          what: `resident memory of a stream, ${row.what}`,
          value: row['resident KiB each'],
          ...{ atMost: mostKiB, unit: ' KiB' },
        }),
      )
      goals.push(
        {
          what: 'message to reader at the other process, p99',
          value: percentile(latencies, 0.99),
          ...{ atMost: mostMs, unit: ' ms' },
        },
        {
          what: 'messages not read by somebody',
          value: size.messages * readersOfSession - latencies.length,
          atMost: 0,
        },
      )
      const notes = [
        `From sending a message until it is read: p50 ${percentile(latencies, 0.5)?.toFixed(0)} ms of ${latencies.length}.`,
      ]
      return { title: 'open streams of one process', rows, goals, notes }
    }),
}
