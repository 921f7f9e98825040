import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmpty, distribute, findNodes, queryOn } from '../helpers/cluster.js'
import { openDetour } from '../helpers/detour.js'
import { t } from '../helpers/file.js'
import { person, send, start, stopEverything } from '../helpers/process.js'
import { skipUnlessCluster } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

const { TEST_CITUS_URL: cluster = '' } = process.env

t.test('A lost node', { skip: skipUnlessCluster }, async (t) => {
  const { coordinator, workers } = await findNodes(cluster)
  const [worker = coordinator, ...others] = workers
  const detour = await openDetour(t, worker)
  // The nodes reach that node only through this address.
  const { url } = await createEmpty(t, cluster, { coordinator, workers: [detour.node, ...others] })
  await distribute(url)
  const service = start({ DATABASE_URL: url, DATA_DIR: t.testdir() })
  const base = await service.address()

  const registered: { email: string; token: string; organization_id: string }[] = []
  const register = async () => {
    const email = `${randomBytes(8).toString('hex')}@lost.example`
    const { status, body } = await send(base, '/auth/register', person(email))
    if (status === 201) {
      const { access_token: token, organization_id } = body
      registered.push({ email, token, organization_id })
    }
    return status
  }
  const isOnLostNode = async (organization_id: string) => {
    const [place] = await queryOn<{ nodeport: number }>(
      url,
      `select nodeport from pg_dist_shard_placement where shardid =
        get_shard_id_for_distribution_column('organizations', $1::uuid)`,
      [organization_id],
    )
    return place?.nodeport === detour.node.port
  }
  while (registered.length < 12) await register()
  const lost: typeof registered = []
  const kept: typeof registered = []
  for (const one of registered) {
    if (await isOnLostNode(one.organization_id)) lost.push(one)
    else kept.push(one)
  }
  t.ok(lost.length > 0 && kept.length > 0)

  const read = ({ token }: { token: string }) => send(base, '/users', undefined, token)
  const write = ({ token }: { token: string }, name: string) =>
    send(
      base,
      '/admin/simulation/scenario-blueprints/quick-setup/apply',
      { team_size: 1, scenario_type: name },
      token,
    )

  t.test('is reported to the organizations on it, while others are served', async (t) => {
    await detour.cut()
    const unavailable = { detail: 'Service temporarily unavailable', code: 'unavailable' }
    for (const one of lost) {
      t.match(await read(one), { status: 503, body: unavailable })
      t.match(await write(one, 'away'), { status: 503, body: unavailable })
    }
    for (const one of kept) {
      t.equal((await read(one)).status, 200)
      t.equal((await write(one, 'away')).status, 200)
    }
    const statuses = new Set<number>()
    for (let attempt = 0; attempt < 60; attempt++) statuses.add(await register())
    t.strictSame([...statuses].sort(), [201, 503], 'each one is stored or refused')
    t.strictSame(
      service.lines().filter(({ level }) => level === 50),
      [],
    )
  })

  t.test('is used again immediately after it returns, and has lost nothing', async (t) => {
    detour.mend()
    for (const one of registered) {
      await until(async () => (await read(one)).status === 200)
      t.equal((await write(one, 'back')).status, 200)
    }
    t.equal(await register(), 201)
  })

  t.test('loses no acknowledged write when it is cut off during writes', async (t) => {
    const writers = Array.from({ length: 6 }, async () => {
      for (let round = 0; round < 8; round++) await register()
    })
    const before = registered.length
    await until(() => registered.length > before)
    await detour.cut()
    await sleep(500)
    detour.mend()
    await Promise.all(writers)
    t.ok(registered.length > 20)
    for (const one of registered) {
      t.equal((await read(one)).status, 200)
      const login = { email: one.email, password: person('').password }
      t.equal((await send(base, '/auth/login', login)).status, 200)
    }
    t.strictSame(
      service.lines().filter(({ level }) => level === 50),
      [],
    )
  })
})
