import { createRequire } from 'node:module'
import { sql } from 'kysely'
import { openPostgresPool } from '../../src/database/connections/postgres.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { skipEmbedded } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

const { db, databaseUrl, call, registerAdmin } = await startService(
  t,
  { DATABASE_POOL_MAX: '10' },
  { isAlone: true },
)
const select = (value: unknown) => sql<{ value: string }>`select ${value}::text as value`
const textOf = async (value: unknown) => (await select(value).execute(db)).rows[0]?.value

function fail(): never {
  throw new Error('This cannot be written')
}

/** Neither driver can write this value. */
const unwritable = Object.defineProperty({ toPostgres: fail }, 'toString', { value: fail })

t.test('A statement that the driver cannot write', async (t) => {
  t.test('fails alone, and its connection is reused', async (t) => {
    const values = ['one', unwritable, 'two', unwritable, 'three']
    const outcomes = await Promise.allSettled(values.map(textOf))
    t.strictSame(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
      ['one', 'failed', 'two', 'failed', 'three'],
    )
    // More often than there are connections.
    for (let time = 0; time < 15; time++) await t.rejects(textOf(unwritable))
    t.equal(await textOf('next'), 'next')
  })

  t.test('rolls back its transaction, which fails with the same error', async (t) => {
    const name = 'Half done'
    const written = db.transaction().execute(async (trx) => {
      await sql`create table half_done (name text)`.execute(trx)
      await select(unwritable).execute(trx)
    })
    await t.rejects(written, /cannot be written/)
    await t.rejects(sql`select ${name} from half_done`.execute(db), /half_done/)
  })

  t.test('is refused when its values together are too large, also in one list', async (t) => {
    const piece = 'x'.repeat(33 * 1024 * 1024)
    await t.rejects(sql`select ${piece}::text, ${piece}::text`.execute(db), /too large/)
    await t.rejects(sql`select ${[piece, piece]}::text[]`.execute(db), /too large/)
    t.equal(await textOf('next'), 'next')
  })
})

interface Message {
  name?: string
  text: unknown
  values?: unknown[]
}
type Write = (message: Message) => Buffer
type Writer = Record<'parse' | 'bind', Write> & { copyData(chunk: Buffer): Buffer }

/** The object with which pg writes the messages of all connections. */
function writerOfPg(): Writer {
  const require = createRequire(createRequire(import.meta.url).resolve('pg'))
  return require('pg-protocol').serialize
}

/** Calls `run` while the writer throws for each message that contains `poison`. */
async function whileThrowing(poison: string, run: () => Promise<void>): Promise<void> {
  const writer = writerOfPg()
  const { parse, bind } = writer
  const isPoisoned = (message: Message) => JSON.stringify(message).includes(poison)
  const write = (original: Write) => (message: Message) =>
    // The writer throws for a value that is not text, after it has written the name.
    isPoisoned(message) ? parse({ name: 'bytes of another', text: {} }) : original(message)
  Object.assign(writer, { parse: write(parse), bind: write(bind) })
  try {
    await run()
  } finally {
    Object.assign(writer, { parse, bind })
  }
}

/** Whether a new message has only type and length, and no bytes of an earlier message. */
const isEmpty = () => writerOfPg().copyData(Buffer.from('')).length === 5

const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`

t.test('An error in the writer of pg', async (t) => {
  t.test('leaves nothing behind for the next message', async (t) => {
    await whileThrowing('poison', async () => {
      await t.rejects(textOf('poison'), /argument must be/)
      t.ok(isEmpty())
    })
    t.equal(await textOf('next'), 'next')
  })

  t.test(
    'closes the connection, and the pool opens a new one',
    { skip: skipEmbedded },
    async (t) => {
      let before = 0
      const broken = db.connection().execute(async (one) => {
        before = (await pid.execute(one)).rows[0]?.pid ?? 0
        await whileThrowing('poison', () =>
          select('poison')
            .execute(one)
            .then(() => {}),
        )
      })
      await t.rejects(broken)
      const open = sql<{ pid: number }>`select pid from pg_stat_activity`
      await until(async () => !(await open.execute(db)).rows.some((row) => row.pid === before))
      const reads = Array.from({ length: 30 }, (_, index) => textOf(`read ${index}`))
      t.strictSame(
        await Promise.all(reads),
        reads.map((_, index) => `read ${index}`),
      )
    },
  )

  t.test(
    'also fails a statement that waits for the previous one',
    { skip: skipEmbedded },
    async (t) => {
      const connection = { connectionString: databaseUrl ?? '', max: 1, parsers: {} }
      const none = () => undefined
      const pool = openPostgresPool({ ...connection, naming: none, onConnectionError: none })
      const client = await pool.connect()
      const query = (text: string) => client.query(text, ['one'])
      await whileThrowing('poison', async () => {
        const outcomes = await Promise.allSettled(
          ['select $1::text', 'select $1::text as poison'].map(query),
        )
        const statuses = outcomes.map(({ status }) => status)
        t.strictSame(statuses, ['fulfilled', 'rejected'])
        await t.rejects(query('select $1::text as third'))
        t.ok(isEmpty())
      })
      client.release()
      const another = await pool.connect()
      const { rows } = await another.query('select $1::text as next', ['one'])
      t.strictSame(rows, [{ next: 'one' }])
      another.release()
      await pool.end()
    },
  )

  t.test('fails one request, and the others get their answers', async (t) => {
    const { token, organization_id } = await registerAdmin()
    const params = { organization_id }
    const update = (welcome_message: string) =>
      call('updateBranding', { token, params, body: { welcome_message } })
    const others = await Promise.all(Array.from({ length: 8 }, () => registerAdmin()))
    await whileThrowing('poison', async () => {
      const reads = others.map(({ token, organization_id }) =>
        call('getBranding', { token, params: { organization_id } }),
      )
      t.equal((await update('poison')).status, 500)
      t.strictSame(
        (await Promise.all(reads)).map(({ body }) => body.organization_id),
        others.map((other) => other.organization_id),
      )
    })
    t.equal((await update('well')).status, 200)
    const { body } = await call('listAuditEvents', { token, params })
    const changes = body.filter(({ event_type = '' }) => event_type === 'branding_updated')
    t.equal(changes.length, 1, 'the failed update leaves no event')
  })
})
