import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { isoTimestamp, jsonb, jsonColumns } from '../../src/database/expressions.js'
import { prepareList } from '../../src/database/lists/lists.js'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import { type ParametersOf, prepare } from '../../src/database/statements.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { copyDatabase } from '../helpers/embedded-template.js'
import { t } from '../helpers/file.js'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function bytesInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

t.test('The database', async (t) => {
  const { db, databaseUrl, drop } = await createDatabase({ isMigrated: true })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  await migrateToLatest(db)
  const organization_id = createId()
  await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()

  const instants = {
    '2026-11-21T08:00:00Z': '2026-11-21T08:00:00.000Z',
    '2026-11-21T09:30:00.5+01:30': '2026-11-21T08:00:00.500Z',
    '2026-11-20T20:15:00.123-11:45': '2026-11-21T08:00:00.123Z',
    '1969-12-31T23:59:59.999Z': '1969-12-31T23:59:59.999Z',
  }
  const extremes = {
    '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
  }
  const store = (given: string) =>
    db
      .updateTable('organizations')
      .set({ updated_at: given })
      .where('_id', '=', organization_id)
      .returning('updated_at')
      .executeTakeFirstOrThrow()
  const list = prepareList('list_times', (db, { _id }: ParametersOf<{ _id: string }>) =>
    db
      .selectFrom('organizations')
      .select(jsonColumns('organizations', ['updated_at']))
      .where('_id', '=', _id),
  )

  t.test('returns the same text for an instant in rows and in lists', async (t) => {
    for (const [given, expected] of Object.entries({ ...instants, ...extremes })) {
      t.strictSame(await store(given), { updated_at: expected }, given)
      const { text } = await list(db, { _id: organization_id })
      t.equal(text, `[{"updated_at":"${expected}"}]`)
    }
  })

  t.test('writes lists as the same JSON as single rows', async (t) => {
    const names = ['plain', 'quo"te \\ back', 'new\nline\ttab', 'ünïcödé 😀', '{"a":1}']
    const rows = names.map((name) => ({ organization_id, _id: createId(), name }))
    await db.insertInto('experiments').values(rows).execute()
    const list = prepareList('list_names', (db, { owner }: ParametersOf<{ owner: string }>) =>
      db
        .selectFrom('experiments')
        .select(['organization_id', '_id', 'name'])
        .select(sql<boolean>`true`.as('truth'))
        .select(sql<null>`null`.as('nothing'))
        .where('organization_id', '=', owner)
        .orderBy('_id'),
    )
    const { text } = await list(db, { owner: organization_id })
    t.strictSame(
      JSON.parse(String(text)),
      rows.map((row) => ({ ...row, truth: true, nothing: null })),
    )
  })

  t.test('passes expressions to a prepared statement, not values', async (t) => {
    const byName = prepare('by_name', (db, { name }: ParametersOf<{ name: string | null }>) => {
      // @ts-expect-error a parameter is not a string
      if (name) t.throws(() => name.toUpperCase())
      return db
        .selectFrom('organizations')
        .select('name')
        .$if(name !== null, (query) => query.where('name', '=', name))
    })
    for (const [name, expected] of [
      ['Acme', [{ name: 'Acme' }]],
      ['Other', []],
      [null, [{ name: 'Acme' }]],
    ] as const) {
      t.strictSame(await byName(db, { name }), expected)
    }
  })

  t.test('keeps prepared statements in PostgreSQL only when that is configured', async (t) => {
    const statement = prepare('kept', (db, { name }: ParametersOf<{ name: string }>) =>
      db.selectFrom('organizations').select('_id').where('name', '=', name),
    )
    const keptAfterUse = async (asked: typeof db) => {
      for (const name of ['Acme', 'Acme', 'Other']) await statement(asked, { name })
      const { rows } = await sql<{ name: string }>`
        select name from pg_prepared_statements`.execute(asked)
      return rows
    }
    const directory = t.testdir()
    for (const databasePreparedStatements of [true, false]) {
      const dataDir = join(directory, `${databasePreparedStatements}`)
      if (!databaseUrl) await copyDatabase(dataDir, { isMigrated: true })
      const options = { databaseUrl, dataDir, databasePoolMax: 1, databasePreparedStatements }
      const opened = await openDatabase(options, () => {})
      const rows = await keptAfterUse(opened)
      const kept = databasePreparedStatements ? [{ name: /^kept_\d+$/ }] : []
      t.equal(rows.length, kept.length)
      t.match(rows, kept)
      await opened.destroy()
    }
  })

  t.test('accepts instants only in UTC, the time zone of its sessions', async (t) => {
    t.equal(isoTimestamp('2026-11-21 08:00:00.1+00'), '2026-11-21T08:00:00.100Z')
    t.throws(() => isoTimestamp('2026-11-21 13:45:00.12+05:45'), /UTC/)
  })

  t.test('returns counts as numbers, booleans as booleans and ids as text', async (t) => {
    const { rows } = await sql`
      select count(*) as count, true as truth, ${organization_id}::uuid as id, null as nothing,
        array['a', 'b,"c'] as list, '{"a": [1, null]}'::jsonb as json, 7 as number`.execute(db)
    t.strictSame(rows, [
      {
        count: 1,
        truth: true,
        id: organization_id,
        nothing: null,
        list: ['a', 'b,"c'],
        json: { a: [1, null] },
        number: 7,
      },
    ])
  })

  t.test('accepts every JSON value for jsonb', async (t) => {
    const values = [[], ['a'], [[1]], {}, { a: { b: null } }, 'text', '"', 7, true, 'é\u2028😀']
    for (const value of values) {
      const { rows } = await sql<{ json: unknown }>`select ${jsonb(value)} as json`.execute(db)
      t.strictSame(rows, [{ json: value }])
    }
  })

  t.test('keeps no answers in memory', async (t) => {
    const read = () => sql`select repeat('x', 1000000) as text`.execute(db)
    await read()
    const before = bytesInUse()
    for (let time = 0; time < 40; time++) await read()
    const kept = bytesInUse() - before
    t.ok(kept < 20_000_000, `${kept} bytes of 40 MB`)
  })

  t.test('rolls back a failed transaction completely, and stays usable', async (t) => {
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('organizations').values({ _id: createId(), name: 'Gone' }).execute()
      await sql`select 1 / 0`.execute(trx)
    })
    await t.rejects(failing, { code: '22012' })
    const gone = db.selectFrom('organizations').select('name').where('name', '=', 'Gone')
    t.strictSame(await gone.execute(), [])
  })

  t.test('serves many concurrent callers, each in a separate transaction', async (t) => {
    const add = (i: number) =>
      db.transaction().execute(async (trx) => {
        await trx
          .insertInto('organizations')
          .values({ _id: createId(), name: `odd or even ${i}` })
          .execute()
        if (i % 2) throw new Error('odd')
      })
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => add(i)))
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 20)
    const { count } = await db
      .selectFrom('organizations')
      .select(sql<number>`count(*)`.as('count'))
      .where('name', 'like', 'odd or even %')
      .executeTakeFirstOrThrow()
    t.equal(count, 20)
  })

  t.test('leaves time for other work while it receives statements continuously', async (t) => {
    let asked = 0
    let hasConnected = false
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1', () => {
      hasConnected = true
    })
    const ask = async () => {
      for (; !hasConnected && asked < 20_000; asked++) await sql`select 1`.execute(db)
    }
    await Promise.all(Array.from({ length: 100 }, ask))
    t.ok(hasConnected, `after ${asked} queries`)
    socket.destroy()
    server.close()
  })
})
