import type { Kysely } from 'kysely'
import type { Database } from '../../src/database/schema.js'
import { AccessChecks } from '../../src/session-messages/stream/access.js'
import type { Reader } from '../../src/session-messages/stream/access-queries.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { db, registerAdmin } = service
const { create } = sessionsOf(service)

/**
 * The same database. It refuses queries about an organization when its promise is fulfilled, and tells of
 * each other query that has been answered.
 */
function refusing(
  organizations: Map<string, Promise<void>>,
  answered: (parameters: unknown[]) => void = () => {},
): Kysely<Database> {
  const refusing = db.withoutPlugins()
  const execute = refusing.executeQuery.bind(refusing)
  refusing.executeQuery = async (query, ...options) => {
    const parameters = 'parameters' in query ? query.parameters.flat() : []
    for (const parameter of parameters) {
      const refused = organizations.get(String(parameter))
      if (!refused) continue
      await refused
      throw new Error('the disk of secrets is full')
    }
    const answer = await execute(query, ...options)
    answered(parameters)
    return answer
  }
  return refusing
}

/** The same database with a counter of statements. */
function withCount(count: () => void): Kysely<Database> {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      count()
      return result
    },
  })
}

/** A trainer, the streams that they read, and the streams that a check has ended. */
async function createTrainer(owner?: Member) {
  const admin = await registerAdmin()
  const drill = await create(owner ?? admin, { scenario_name: 'hr_workforce' })
  const { _id: session_id } = await db
    .selectFrom('login_sessions')
    .select('_id')
    .where('organization_id', '=', admin.organization_id)
    .where('user_id', '=', admin.user_id)
    .executeTakeFirstOrThrow()
  const { organization_id, user_id } = admin
  const reader: Reader = {
    organization_id,
    user_id,
    role: 'admin',
    session_id,
    api_key_id: null,
    seat: null,
    network: '127.0.0.1',
    kind: 'trainer',
    seesAll: true,
    takesPart: false,
    expiresAt: null,
  }
  const ended = new Set<number>()
  const streams = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const end = () => void ended.add(i)
      return { reader, session_id: drill._id, end }
    })
  return { admin, organization_id, streams, ended }
}

const logOut = ({ user_id }: Member) =>
  db
    .updateTable('login_sessions')
    .set({ ended_at: new Date().toISOString() })
    .where('user_id', '=', user_id)
    .execute()

let now = 0
const clock = () => now
function passTime(ms: number): void {
  now += ms
}

t.test('The check of read access', async (t) => {
  const [slow, failing, other] = [
    await createTrainer(),
    await createTrainer(),
    await createTrainer(),
  ]
  const all = [slow, failing, other]
  for (const { admin } of all) await logOut(admin)

  t.test('ends the streams of an organization while others are slow or fail', async (t) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const logged: unknown[] = []
    const checks = new AccessChecks({
      db: refusing(
        new Map([
          [slow.organization_id, released],
          [failing.organization_id, Promise.resolve()],
        ]),
      ),
      log: { warn: (details: unknown) => void logged.push(details) },
      clock,
    })
    const streams = all.flatMap((one) => one.streams(2))
    checks.tick(streams)
    for (let seconds = 1; seconds <= 3; seconds++) {
      passTime(1_000)
      checks.tick(streams)
    }
    await until(() => other.ended.size === 2 && logged.length === 1)
    t.match(logged, [{ organization_id: failing.organization_id, err: Error }])
    t.equal(failing.ended.size, 0, 'these streams stay open for a while')
    other.ended.clear()
    checks.hurry()
    passTime(500)
    checks.tick(streams)
    await until(() => other.ended.size === 2 && logged.length === 2)
    t.match(logged[1], { organization_id: failing.organization_id })
    const stopped = checks.stop()
    release()
    await stopped
    t.match(logged[2], { organization_id: slow.organization_id })
    t.equal(slow.ended.size, 0)
  })

  t.test('ends streams whose access is unknown for 4.5 seconds, and no others', async (t) => {
    const failing = await createTrainer()
    const kept = await createTrainer()
    const reasons: unknown[] = []
    const [stream, other] = [...failing.streams(1), ...kept.streams(1)].map((one, i) => {
      return i === 0 ? { ...one, end: (reason?: unknown) => void reasons.push(reason) } : one
    })
    if (!stream || !other) throw new Error('There are no streams')
    const refused = new Map([[failing.organization_id, Promise.resolve()]])
    let checked = 0
    const checks = new AccessChecks({
      db: refusing(refused, (organization_ids) => {
        if (organization_ids.includes(kept.organization_id)) checked++
      }),
      log: { warn: () => {} },
      clock,
    })
    checks.tick([stream, other])
    await until(() => checked === 1)
    for (let ticks = 1; ticks <= 9; ticks++) {
      t.strictSame(reasons, [])
      passTime(500)
      checks.tick([stream, other])
      // The other one is checked again after 2.5 seconds.
      if (ticks >= 5) await until(() => checked === 2)
    }
    passTime(500)
    checks.tick([stream, other])
    t.strictSame(reasons, [undefined])
    await checks.stop()
    t.equal(kept.ended.size, 0)
  })

  t.test('does not count the time when the process stood still', async (t) => {
    const { streams, ended } = await createTrainer()
    const own = streams(1)
    const checks = new AccessChecks({ db: refusing(new Map()), log: { warn: () => {} }, clock })
    checks.tick(own)
    passTime(60_000)
    checks.tick(own)
    await checks.stop()
    t.equal(ended.size, 0)
  })

  t.test('lets a super_admin read sessions of other organizations', async (t) => {
    const chief = await createTrainer(await registerAdmin())
    const stranger = await createTrainer(await registerAdmin())
    await db
      .updateTable('users')
      .set({ role: 'super_admin' })
      .where('organization_id', '=', chief.organization_id)
      .execute()
    const ofChief = chief.streams(1).map((stream) => {
      return { ...stream, reader: { ...stream.reader, role: 'super_admin' as const } }
    })
    const checks = new AccessChecks({ db, log: { warn: () => t.fail() } })
    checks.tick([...ofChief, ...stranger.streams(1)])
    await until(() => stranger.ended.size === 1)
    await checks.stop()
    t.equal(chief.ended.size, 0)
  })

  t.test(
    'checks 500 readers in one statement, of any organization, and ends only those without access',
    async (t) => {
      const kept = await createTrainer()
      const lost = await createTrainer()
      await logOut(lost.admin)
      let statements = 0
      const counting = withCount(() => void statements++)
      const checks = new AccessChecks({ db: counting, log: { warn: () => t.fail() } })
      checks.tick([...kept.streams(501), ...lost.streams(501)])
      await until(() => statements >= 3 && lost.ended.size === 501)
      await checks.stop()
      t.equal(statements, 3)
      t.equal(kept.ended.size, 0)
    },
  )
})
