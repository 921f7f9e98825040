import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { migrateToLatest } from '../../../src/database/migrate.js'
import type { Database } from '../../../src/database/schema.js'
import { openDatabaseOf } from '../database.js'
import type { Goal, Outcome } from '../report.js'
import { type Lags, selectFaults, selectLags } from '../sessions/delivery.js'
import { insertMembers, insertSessions, settle, withStage } from '../sessions/stage.js'
import type { Scenario } from '../setting.js'
import { startSide, withSides } from '../sides.js'

const minuteMs = 60_000
const mostMs = 1_500
const mostOrganizations = 100

/** From the clocks' zero: what is posted before is not measured, and what is due after neither. */
const times = { full: { warmUpMs: minuteMs, ms: 2 * minuteMs }, small: { warmUpMs: 5e3, ms: 15e3 } }
type Times = (typeof times)['full']

/** Until what was due at the end is posted, or will not be. */
const patienceMs = 10_000

const timesOf = (isSmall: boolean) => times[isSmall ? 'small' : 'full']
const endOf = ({ warmUpMs, ms }: Times) => warmUpMs + ms

/** Sessions with a message a minute each, spread evenly over the minute, that begin in a while. */
async function insertPlay(
  db: Kysely<Database>,
  sessions: number,
  { leadMs, ...times }: Times & { leadMs: number },
): Promise<Date> {
  const admins = await insertMembers(db, { organizations: Math.min(sessions, mostOrganizations) })
  const organizations = admins.map(({ organization_id }) => organization_id)
  const lines = Math.ceil((endOf(times) + patienceMs) / minuteMs)
  const plan = { organizations, sessions, lines, everyMs: minuteMs, spreadMs: minuteMs }
  const anchorAt = new Date(Date.now() + leadMs)
  await insertSessions(db, { ...plan, anchorAt })
  return anchorAt
}

/** What was posted in the measured while; throws where messages are lost or doubled. */
async function readLags(db: Kysely<Database>, anchorAt: Date, times: Times): Promise<Lags> {
  const at = (ms: number) => new Date(anchorAt.getTime() + ms)
  const lags = await selectLags(db, { from: at(times.warmUpMs), to: at(endOf(times)) })
  const { twice, broken, untold, shifted } = await selectFaults(db)
  if (twice + broken + untold + shifted === 0) return lags
  throw new Error(JSON.stringify({ twice, broken, untold, shifted }))
}

const untilPosted = (anchorAt: Date, times: Times) =>
  sleep(anchorAt.getTime() + endOf(times) + patienceMs - Date.now())

function playWithTwo(server: string, sessions: number, times: Times): Promise<Lags> {
  return withStage(server, async ({ databaseUrl, db }) => {
    const anchorAt = await insertPlay(db, sessions, { ...times, leadMs: 30_000 })
    await settle(db)
    return withSides(['service', 'service'], databaseUrl, async () => {
      await untilPosted(anchorAt, times)
      return readLags(db, anchorAt, times)
    })
  })
}

/** The service owns the embedded database, so that it is filled before and read afterwards. */
async function playEmbedded(sessions: number, times: Times): Promise<Lags> {
  const dataDir = mkdtempSync(join(tmpdir(), 'workplace-bench-data-'))
  const withData = async <T>(work: (db: Kysely<Database>) => Promise<T>) => {
    const db = await openDatabaseOf({ databaseUrl: null, dataDir })
    try {
      return await work(db)
    } finally {
      await db.destroy()
    }
  }
  try {
    const anchorAt = await withData(async (db) => {
      await migrateToLatest(db)
      return insertPlay(db, sessions, { ...times, leadMs: 20_000 })
    })
    const service = await startSide('service', { dataDir })
    await untilPosted(anchorAt, times).finally(() => service.stop())
    return await withData((db) => readLags(db, anchorAt, times))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function outcomeOf(title: string, measured: (Lags & { sessions: number })[]): Outcome {
  const rows = measured.map(({ sessions, planned, missing, p50, p99, most }) => {
    return { sessions, messages: planned, missing, 'p50 ms': p50, 'p99 ms': p99, 'max ms': most }
  })
  const goals = measured.flatMap(({ sessions, missing, p99 }): Goal[] => {
    const of = `${sessions.toLocaleString('en')} sessions`
    return [
      { what: `p99 of how late, ${of}`, value: p99, atMost: mostMs, unit: ' ms' },
      { what: `not posted, ${of}`, value: missing, atMost: 0 },
    ]
  })
  return { title: `how late messages are, one a minute of each session, ${title}`, rows, goals }
}

export const sessionsLag: Scenario = {
  name: 'sessions-lag',
  run: async ({ options, database }) => {
    const measured = []
    for (const sessions of options.small ? [100] : [100, 1_000, 10_000]) {
      const lags = await playWithTwo(database.url, sessions, timesOf(options.small))
      measured.push({ sessions, ...lags })
    }
    return outcomeOf('two processes on PostgreSQL', measured)
  },
}

export const sessionsEmbedded: Scenario = {
  name: 'sessions-embedded',
  run: async ({ options }) => {
    const sessions = options.small ? 100 : 1_000
    const lags = await playEmbedded(sessions, timesOf(options.small))
    return outcomeOf('one process on the embedded database', [{ sessions, ...lags }])
  },
}
