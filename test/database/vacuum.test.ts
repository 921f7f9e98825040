import { sql } from 'kysely'
import { keepVacuuming, vacuum } from '../../src/database/embedded/vacuum.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const { db, databaseUrl } = await startService(t, {}, { isAlone: true })
const skip = databaseUrl !== null && 'a server frees the space by itself'

async function sizeOfAttempts(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_relation_size('attempts') as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

t.test('In the embedded database new rows take the space of deleted ones', { skip }, async (t) => {
  const expires_at = new Date().toISOString()
  const sizes: number[] = []
  for (let round = 0; round < 3; round++) {
    const rows = Array.from({ length: 3_000 }, () => {
      return { email: createId(), kind: 'login', ip: '198.18.0.1', taken: 1, expires_at }
    })
    await db.insertInto('attempts').values(rows).execute()
    sizes.push(await sizeOfAttempts())
    await db.deleteFrom('attempts').execute()
    await vacuum(db)
  }
  const [first = 0, second = 0, third = 0] = sizes
  t.ok(second <= first && third <= first, sizes.join(', '))
})

t.test('A failure to free space is logged', async (t) => {
  const warnings: unknown[] = []
  const log = { warn: (_: unknown, message?: string) => warnings.push(message) }
  // Space cannot be freed in a transaction, and the transaction fails with it.
  const freeing = db.transaction().execute(async (trx) => {
    const vacuuming = keepVacuuming(trx, log, 0)
    vacuuming.start()
    await until(() => warnings.length > 0)
    await vacuuming.stop()
  })
  await t.rejects(freeing, { message: /rolled back/ })
  t.strictSame(warnings, ['space could not be freed'])
})
