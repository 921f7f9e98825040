import { sql } from 'kysely'
import type { Test } from 'tap'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import { addressOf } from './cluster.js'
import { openDetour } from './detour.js'
import { tamper } from './events.js'
import { type Member, startOn } from './service.js'
import { startPair } from './standby.js'
import { until } from './until.js'

/** The service on a primary, with a standby as its replica. */
export async function startReplicated(t: Test) {
  const { primary, standby } = await startPair(t)
  const detour = await openDetour(t, { host: '127.0.0.1', port: standby.port })
  const detourUrl = addressOf(standby.url, detour.node)
  const db = await open(t, primary.url)
  const copy = await open(t, standby.url)
  await migrateToLatest(db)

  /** Starts the service with a chosen replica. */
  async function serve(t: Test, replicaUrl: string, primaryOf = db) {
    const replica = await open(t, replicaUrl)
    const database = { db: primaryOf, databaseUrl: null, replica }
    const service = await startOn(database, t, { LOG_LEVEL: 'info' })
    /** The log lines with which the service begins or stops to use the replica. */
    const switches = () => service.log.map((line) => JSON.parse(line)).filter(isSwitch)
    const latestLevel = () => switches().at(-1)?.level
    /** The admin of an organization without recent changes, as far as the service knows. */
    async function quietAdmin(): Promise<Member> {
      const admin = await service.registerAdmin()
      await tamper(db, (trx) =>
        trx
          .updateTable('audit_events')
          .set({ created_at: sql`created_at - interval '1 minute'` })
          .where('organization_id', '=', admin.organization_id)
          .execute(),
      )
      return admin
    }

    async function countUsers({ token }: Member, query: Record<string, string> = {}) {
      const { body, headers } = await service.call('listUsers', { token, query })
      return { rows: body.length, total: Number(headers.get('x-total-count')) }
    }

    return {
      ...service,
      switches,
      quietAdmin,
      countUsers,
      untilUsed: () => until(() => latestLevel() === 30),
      untilUnused: () => until(() => latestLevel() === 40),
    }
  }

  async function catchUp(): Promise<void> {
    const { rows } = await sql<{ end: string }>`select pg_current_wal_lsn() as end`.execute(db)
    await until(async () => {
      const replayed = await sql<{ all: boolean }>`
        select pg_last_wal_replay_lsn() >= ${rows[0]?.end}::pg_lsn as all`.execute(copy)
      return replayed.rows[0]?.all === true
    })
  }

  /** Stops replication: the standby has everything until now and nothing later. */
  async function freeze(): Promise<void> {
    await catchUp()
    await sql`select pg_wal_replay_pause()`.execute(copy)
    await until(async () => {
      const state = await sql<{ is: string }>`select pg_get_wal_replay_pause_state() as is`.execute(
        copy,
      )
      return state.rows[0]?.is === 'paused'
    })
  }

  async function thaw(): Promise<void> {
    await sql`select pg_wal_replay_resume()`.execute(copy)
    await catchUp()
  }

  return { db, copy, primary, standby, detour, detourUrl, serve, catchUp, freeze, thaw }
}

async function open(t: Pick<Test, 'teardown'>, databaseUrl: string) {
  const db = await openDatabase({ databaseUrl, dataDir: '', databasePoolMax: 10 }, () => {})
  t.teardown(() => db.destroy())
  return db
}

const isSwitch = ({ msg }: { msg: string }) => /^lists are (not )?read from the replica$/.test(msg)
