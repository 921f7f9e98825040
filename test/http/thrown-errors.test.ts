import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { toContractError } from '../../src/thrown-errors.js'
import { t } from '../helpers/file.js'
import { type Answer, startService } from '../helpers/service.js'
import { skipEmbedded } from '../helpers/skips.js'

const service = await startService(t, { LOG_LEVEL: 'trace' }, { isAlone: true })
const { log, db, databaseUrl, call, request, registerAdmin } = service

const password = `hush ${randomUUID()}`
const admin = await registerAdmin({ password })
const { token, organization_id, email } = admin
const params = { organization_id }
const invitation = () => ({
  first_name: 'A',
  last_name: 'B',
  email: `${randomUUID()}@hush.example`,
})
const invite = () => call('inviteMember', { token, params, body: invitation() })
const countUsers = async () => {
  const { body } = await call('listUsers', { token })
  return body.length
}

/** Calls `run` while every write to the audit events fails with this SQLSTATE. */
async function whileRefusing(sqlstate: string, run: () => Promise<void>) {
  const body = `begin raise exception 'a detail' using errcode = '${sqlstate}'; end`
  await sql`
    create or replace function refuse() returns trigger language plpgsql as ${sql.lit(body)}
  `.execute(db)
  await sql`
    create trigger refuse before insert on audit_events for each row execute function refuse()
  `.execute(db)
  try {
    await run()
  } finally {
    await sql`drop trigger refuse on audit_events`.execute(db)
  }
}

function expectUnavailable(t: Tap, { status, headers, body }: Answer) {
  t.equal(status, 503)
  t.strictSame(body, { detail: 'Service temporarily unavailable', code: 'unavailable' })
  t.match(headers.get('retry-after'), /^[1-9]\d*$/)
}
type Tap = Pick<typeof t, 'equal' | 'strictSame' | 'match'>

t.test('An internal error shows the caller no details', async (t) => {
  const opaque = { detail: 'Internal Server Error', code: 'internal_server_error' }
  await sql`alter table users rename to people`.execute(db)
  const headers = { 'x-request-id': 'broken-1' }
  const answers = [
    await call('listUsers', { token, headers }),
    await call('register', { body: { ...invitation(), organization_name: 'Lost', password } }),
    await call('login', { body: { email, password } }),
    await invite(),
  ]
  await sql`alter table people rename to users`.execute(db)
  for (const { status, headers, body } of answers) {
    t.equal(status, 500)
    t.strictSame(body, opaque)
    t.match(headers.get('content-type'), /^application\/json/)
  }
  const [line = ''] = log.filter((one) => one.includes('"broken-1"') && one.includes('42P01'))
  t.match(line, /relation \\"users\\" does not exist/, 'the log has the cause with the request id')

  t.equal(await countUsers(), 1, 'afterwards everything works, and nothing is left behind')
  const lost = db.selectFrom('organizations').select('_id').where('name', '=', 'Lost')
  t.strictSame(await lost.execute(), [])
})

t.test('A change without its audit event does not happen', async (t) => {
  await whileRefusing('P0001', async () => {
    t.equal((await invite()).status, 500)
    t.equal(await countUsers(), 1)
  })
  t.equal((await invite()).status, 201)
})

for (const sqlstate of ['55P03', '57014', '57P01', '53300', '08006']) {
  t.test(`The SQLSTATE ${sqlstate} is a 503 that can be retried`, async (t) => {
    await whileRefusing(sqlstate, async () => expectUnavailable(t, await invite()))
    t.equal((await invite()).status, 201)
  })
}

t.test('A broken invariant has the same answer on a server and a cluster', async (t) => {
  const statusOf = (message: string, fields: object) =>
    toContractError(Object.assign(new Error(message), fields)).statusCode
  const constraint = 'email_registry_email_unique'
  const shard = `${constraint}_102010`
  t.equal(statusOf('', { code: '23505', constraint }), 409)
  t.equal(statusOf('', { code: '23505', constraint: shard }), 409)
  t.equal(statusOf(`violates unique constraint "${shard}"`, { code: '23505' }), 409)
  t.equal(statusOf(`violates unique constraint "${constraint}"`, { code: '23505' }), 409)
  t.equal(statusOf(`violates unique constraint "${constraint}_too"`, { code: '23505' }), 500)
  t.equal(statusOf(`no index "${shard}"`, { code: '42704' }), 500)
})

t.test('A cluster node that is lost is a 503, whatever the message', (t) => {
  for (const message of [
    'could not commit transaction for shard 102085 on at least one active node',
    'connection to the remote node postgres@10.0.0.1:5432 failed with the following error: x',
    'SSL SYSCALL error: EOF detected',
    'node group 4 does not have a primary node',
  ]) {
    const error = Object.assign(new Error(message), { code: 'XX000' })
    t.equal(toContractError(error).statusCode, 503, message)
  }
  const fault = Object.assign(new Error('cache lookup failed'), { code: 'XX000' })
  t.equal(toContractError(fault).statusCode, 500)
  t.end()
})

t.test('/health answers when the process runs, /ready when the database does', async (t) => {
  for (const [path, status] of [
    ['/health', 'ok'],
    ['/ready', 'ready'],
  ] as const) {
    const answer = await request(path)
    t.equal(answer.status, 200)
    t.strictSame(answer.body, { status })
  }
})

/** Connects another client to the database server. The embedded database has no server. */
async function withClient(run: (client: pg.Client) => Promise<void>) {
  const client = new pg.Client({ connectionString: databaseUrl ?? '' })
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
  }
}

t.test(
  'A lock that is held for too long is a 503 that can be retried',
  { skip: skipEmbedded },
  async (t) => {
    await withClient(async (client) => {
      await client.query('begin; lock table users in access exclusive mode')
      const waiting = call('login', { body: { email, password } })
      t.equal((await request('/ready')).status, 200)
      expectUnavailable(t, await waiting)
      await client.query('rollback')
    })
    t.equal((await call('login', { body: { email, password } })).status, 200)
  },
)

t.test(
  'The service reconnects after the database has closed every connection',
  { skip: skipEmbedded },
  async (t) => {
    await withClient(async (client) => {
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    })
    let status = 0
    for (let tries = 0; status !== 200 && tries < 20; tries++) {
      const answer = await call('listUsers', { token })
      status = answer.status
      if (status !== 200) expectUnavailable(t, answer)
    }
    t.equal(status, 200)
  },
)

t.test('The log never contains a secret', async (t) => {
  const invited = await invite()
  const secret = invited.body.temporary_password
  await call('login', { body: { email: invited.body.user.email, password: secret } })
  await call('login', { body: { email, password: `wrong ${password}` } })
  await call('login', { rawBody: `{"email":"${email}","password":"${password}` })
  await call('register', { body: { email, password, organization_name: 7 } })
  await request(`/api/v1/users?access_token=${token}`, { headers: { cookie: `id=${password}` } })
  await request(`/api/v1/nowhere?password=${password}`, { method: 'POST' })
  await whileRefusing('P0001', async () => {
    await call('login', { body: { email, password } })
    await call('register', { body: { ...invitation(), organization_name: 'Lost', password } })
  })

  const text = log.join('')
  t.match(text, /"path":"\/api\/v1\/auth\/login"/)
  t.match(text, /"status":201/)
  t.match(text, /request failed/)
  for (const one of [password, secret, token, token.split('.')[2] ?? token, 'argon2']) {
    t.notOk(text.includes(one))
  }
  t.notMatch(text, /@hush\.example|access_token=/)
})
