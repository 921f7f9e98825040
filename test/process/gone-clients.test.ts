import pg from 'pg'
import { t } from '../helpers/file.js'
import {
  person,
  placeWithDatabase,
  refusesConnections,
  send,
  start,
  stopEverything,
} from '../helpers/process.js'
import { skipUnlessServer as skip } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

t.test('A stop says nothing about requests whose client has gone', { skip }, async (t) => {
  const place = await placeWithDatabase(t, { isMigrated: true })
  const service = start({ ...place, DATABASE_POOL_MAX: '1', LOG_LEVEL: 'info' })
  const base = await service.address()
  const { body: grant } = await send(base, '/auth/register', person('gone@one.example'))
  const holder = new pg.Client(place.DATABASE_URL)
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin')
  await holder.query('lock table users in access exclusive mode')

  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${grant.access_token}` }
  const requests = Array.from({ length: 6 }, () =>
    fetch(`${base}/api/v1/users`, { headers, signal: leaving.signal }).catch(() => 'gone'),
  )
  await until(async () => {
    const { rows } = await holder.query('select from pg_locks where not granted')
    return rows.length > 0
  })
  t.equal((await fetch(`${base}/health`)).status, 200)
  leaving.abort()
  t.strictSame(new Set(await Promise.all(requests)), new Set(['gone']))
  service.process.kill('SIGTERM')
  t.ok(await refusesConnections(base))
  await holder.query('rollback')
  t.match(await service.exit, { code: 0, signal: null })
  t.strictSame(
    service.lines().filter(({ level }) => level > 30),
    [],
  )
})
