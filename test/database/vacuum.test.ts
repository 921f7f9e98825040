import { sql } from 'kysely'
import { vacuum } from '../../src/database/embedded/vacuum.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

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
