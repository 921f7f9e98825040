import type pg from 'pg'
import type { AuditEvent } from '../../../src/audit-events/record.js'
import { connect } from '../connections.js'
import { eventsOf } from '../data/recorded-events.js'
import { cpuMs, postgresCpuMs } from '../process-meters.js'
import { insertOf } from '../recorded-statements.js'
import type { Scenario, Setting } from '../setting.js'
import { median, percentile, ratio } from '../statistics.js'
import { insertTemporaryOrganizations } from '../temporary.js'

const organizations = 200
const mostCost = 1.6
const bare = 'bench.events_without_indexes'

/** The events that there are, in a table that has the primary key alone. */
async function createBareTable(client: pg.Client): Promise<void> {
  await client.query(`drop table if exists ${bare}`)
  await client.query(`create table ${bare} (like audit_events including defaults)`)
  await client.query(`insert into ${bare} select * from audit_events order by organization_id, _id`)
  await client.query(`
    alter table ${bare} add primary key (organization_id, _id),
      add foreign key (organization_id) references organizations on delete cascade`)
  await client.query(`vacuum (analyze) ${bare}`)
}

interface Turn {
  inserts: number
  cpuUs: number | null
  p50: number | null
  p99: number | null
}

/** Inserts without pause on one connection, each event by a prepared statement and a commit. */
async function takeTurn(
  client: pg.Client,
  pid: number | null,
  table: string,
  events: Generator<AuditEvent>,
  seconds: number,
): Promise<Turn> {
  const times: number[] = []
  const before = pid && cpuMs(pid)
  const endsAt = performance.now() + seconds * 1_000
  while (performance.now() < endsAt) {
    const { text, values } = await insertOf(events.next().value)
    const inTable = text.replace('"audit_events"', table)
    const startedAt = performance.now()
    await client.query({ name: nameOf(inTable), text: inTable, values })
    times.push(performance.now() - startedAt)
  }
  const after = pid && cpuMs(pid)
  return {
    inserts: times.length,
    cpuUs: before === null || after === null ? null : ((after - before) * 1_000) / times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  }
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  const name = names.get(text) ?? `insert ${names.size}`
  names.set(text, name)
  return name
}

/** The id of the server process behind a connection; null when it is on another machine. */
async function serverProcess(setting: Setting, client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const used = await postgresCpuMs(setting.database.client)
  const pid = rows[0]?.pid
  return pid !== undefined && used?.has(pid) ? pid : null
}

async function measure(setting: Setting, client: pg.Client) {
  const { options, database } = setting
  const temporary = await insertTemporaryOrganizations(database.client, organizations)
  const events = eventsOf(temporary.map(({ organization_id }) => organization_id))
  const pid = await serverProcess(setting, client)
  const tables = ['audit_events', bare]
  const turns = new Map<string, Turn[]>(tables.map((table) => [table, []]))
  for (let round = -1; round < options.rounds; round++) {
    for (const table of round % 2 === 0 ? tables : tables.toReversed()) {
      const turn = await takeTurn(client, pid, table, events, options.seconds)
      // The first round warms up.
      if (round >= 0) turns.get(table)?.push(turn)
    }
  }
  return tables.map((table) => {
    const of = turns.get(table) ?? []
    return {
      table: table === bare ? 'primary key alone' : 'all indexes',
      inserts: of.reduce((sum, { inserts }) => sum + inserts, 0),
      'PostgreSQL µs/insert': median(of.map(({ cpuUs }) => cpuUs)),
      'p50 ms': median(of.map(({ p50 }) => p50)),
      'p99 ms': median(of.map(({ p99 }) => p99)),
    }
  })
}

/** What its indexes add to the cost of an event. */
export const auditInsert: Scenario = {
  name: 'audit-insert',
  run: async (setting) => {
    const { client, url } = setting.database
    const inserting = await connect(url)
    try {
      await createBareTable(client)
      const { rows: counted } = await client.query<{ events: number }>(
        `select count(*)::int as events from ${bare}`,
      )
      const rows = await measure(setting, inserting)
      const [indexed, alone] = rows.map((row) => row['PostgreSQL µs/insert'])
      const events = counted[0]?.events.toLocaleString('en')
      return {
        title: `insert of an event beside ${events} others, each in its own commit`,
        rows,
        goals: [
          {
            what: 'PostgreSQL with all indexes ÷ primary key alone',
            value: ratio(indexed ?? null, alone ?? null),
            atMost: mostCost,
          },
        ],
      }
    } finally {
      await inserting.end()
      await client.query(`drop table if exists ${bare}`)
    }
  },
}
