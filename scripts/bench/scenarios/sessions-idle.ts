import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../src/database/schema.js'
import { selectDue } from '../../../src/simulation-sessions/due-queries.js'
import type { Goal } from '../report.js'
import { readMeter, type Sent } from '../sessions/read-meter.js'
import { insertMembers, settle, withStage } from '../sessions/stage.js'
import type { Scenario } from '../setting.js'
import { withSides } from '../sides.js'
import { percentile, ratio } from '../statistics.js'

const mostPerSecond = 1
const mostRatio = 1.3
const organizations = 100
const aboutSessions = /\b(simulation_sessions|session_(plan|messages|assignments|ratings))\b/

/** Sessions that are over, as they lie about after some years. */
async function insertEnded(db: Kysely<Database>, count: number): Promise<void> {
  const admins = await insertMembers(db, { organizations })
  const organization_ids = admins.map(({ organization_id }) => organization_id)
  await db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`
      insert into simulation_sessions (organization_id, _id, name, scenario_name, timing, speed, mode,
        status, started_at, anchor_at, ended_at, last_seq, created_at)
      select (${organization_ids}::uuid[])[1 + i % ${organizations}::integer], gen_random_uuid(),
        'Session ' || i, 'hr_workforce', 'drill', 1, 'scripted', 'completed', at, at,
        at + interval '90 minutes', 60, at
      from generate_series(1, ${count}::integer) as i,
        lateral (select timestamptz '2024-01-01Z' + i * interval '1 minute' as at) as begun`.execute(
      trx,
    )
  })
  await settle(db)
}

/** From the first to the last of each, so that it does not matter where the measured while begins. */
function perSecond(statements: [string, Sent][], seconds: number): number {
  const rates = statements.map(([, { count, firstMs, lastMs }]) =>
    count > 2 ? ((count - 1) * 1_000) / (lastMs - firstMs) : count / seconds,
  )
  return rates.reduce((sum, rate) => sum + rate, 0)
}

/** Statements a second of a process that nobody asks anything. */
async function countStatements(databaseUrl: string, seconds: number) {
  return withSides(['metered service'], databaseUrl, async ([service]) => {
    const pid = service?.pid ?? 0
    await sleep(5_000)
    await readMeter(pid)
    await sleep(seconds * 1_000)
    const { statements } = await readMeter(pid)
    const sent = Object.entries(statements)
    const own = sent.filter(([text]) => aboutSessions.test(text))
    return { all: perSecond(sent, seconds), own: perSecond(own, seconds) }
  })
}

/** How long the engine's look takes, in turns of two databases. */
async function timeLooks(dbs: Kysely<Database>[], looks: number): Promise<(number | null)[]> {
  const times = dbs.map(() => [] as number[])
  for (let look = -100; look < looks; look++) {
    for (let turn = 0; turn < dbs.length; turn++) {
      const i = Math.abs(turn + look) % dbs.length
      const db = dbs[i]
      if (!db) continue
      const startedAt = performance.now()
      await selectDue(db, {})
      if (look >= 0) times[i]?.push(performance.now() - startedAt)
    }
  }
  return times.map((of) => percentile(of, 0.5))
}

/** What a process does for sessions where there is nothing to be done. */
export const sessionsIdle: Scenario = {
  name: 'sessions-idle',
  run: ({ options, database }) => {
    const ended = options.small ? 10_000 : 1_000_000
    const seconds = options.small ? 10 : 60
    return withStage(database.url, (empty) =>
      withStage(
        database.url,
        async (full) => {
          await insertMembers(empty.db, { organizations })
          await settle(empty.db)
          await insertEnded(full.db, ended)
          const counted = [
            await countStatements(empty.databaseUrl, seconds),
            await countStatements(full.databaseUrl, seconds),
          ]
          const looks = await timeLooks([empty.db, full.db], options.small ? 500 : 5_000)
          const rows = counted.map(({ all, own }, i) => ({
            'ended sessions': i === 0 ? 0 : ended,
            'statements/s about sessions': own,
            'statements/s in all': all,
            'a look, p50 ms': looks[i] ?? null,
          }))
          const goals: Goal[] = rows.map((row) => ({
            what: `statements a second about sessions, ${row['ended sessions'].toLocaleString('en')} ended`,
            value: row['statements/s about sessions'],
            atMost: mostPerSecond,
          }))
          const value = ratio(looks[1] ?? null, looks[0] ?? null)
          goals.push({ what: 'a look with ended sessions ÷ without', value, atMost: mostRatio })
          const notes = ['Counted in the process, where it hands a statement to the driver.']
          return { title: 'a process that has nothing to do', rows, goals, notes }
        },
        'workplace_bench_ended',
      ),
    )
  },
}
