import { beforeAll } from '../../src/audit-events/sealing/seal.js'
import { sealSeveral, sealTogether } from '../../src/audit-events/sealing/seal-several.js'
import { selectQueue } from '../../src/audit-events/sealing/seal-several-queries.js'
import { createSealer } from '../../src/audit-events/sealing/sealing.js'
import { migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { insertEvents } from '../helpers/events.js'
import { t } from '../helpers/file.js'

// The sealer of a running service would also seal the waiting events, so none is started.
const { db, drop } = await createDatabase({ isMigrated: true })
await migrateToLatest(db)
t.teardown(async () => {
  await db.destroy()
  await drop()
})

/** Organizations with one waiting event each. Returns their ids, sorted. */
async function insertOrganizations(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => createId()).sort()
  await db
    .insertInto('organizations')
    .values(ids.map((_id) => ({ _id, name: 'Nordlicht' })))
    .execute()
  const events = ids.map((organization_id) => ({ organization_id, metadata: {} }))
  await insertEvents(db, events)
  return ids
}

async function sealsOf(organization_ids: string[]): Promise<number> {
  const seals = await db
    .selectFrom('audit_seals')
    .select('event_id')
    .where('organization_id', 'in', organization_ids)
    .execute()
  return seals.length
}

/** The database, with a counter of the statements it receives. */
function countStatements(before = () => {}) {
  const counting = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => result,
  })
  const execute = counting.executeQuery.bind(counting)
  let statements = 0
  let after: (() => Promise<void>) | undefined
  counting.executeQuery = async (query) => {
    statements++
    before()
    const result = await execute(query)
    const run = statements === 1 ? after : undefined
    await run?.()
    return result
  }
  const afterFirst = (run: () => Promise<void>) => {
    after = run
  }
  return { db: counting, statements: () => statements, afterFirst }
}

const skip = process.env.TEST_CITUS_URL && 'On a cluster each organization is sealed separately'
t.test('Seals of several organizations', { skip }, async (t) => {
  t.test('need only few additional statements when one organization is refused', async (t) => {
    const organizations = await insertOrganizations(64)
    const taken = organizations[40] ?? ''
    const queue = await selectQueue(db, { after: beforeAll })
    const own = queue.filter(({ organization_id }) => organization_id === taken)
    t.equal(await sealTogether(db, own), true)
    const counted = countStatements()
    t.strictSame(await sealSeveral(counted.db, queue), [taken])
    // First all together, then two halves for each of the six times that 64 can be halved.
    t.equal(counted.statements(), 1 + 2 * 6)
    t.strictSame(await sealsOf(organizations), 64)
  })

  t.test('need only few statements when another sealer has already sealed them', async (t) => {
    const organizations = await insertOrganizations(64)
    const counted = countStatements()
    const late = createSealer(counted.db)
    counted.afterFirst(createSealer(db))
    await late()
    t.strictSame(await sealsOf(organizations), 64)
    t.ok(counted.statements() < 10, `${counted.statements()} statements`)
  })

  t.test('are not retried in parts while the database is unreachable', async (t) => {
    await insertOrganizations(2)
    const queue = await selectQueue(db, { after: beforeAll })
    const counted = countStatements(() => {
      throw new Error('Connection terminated')
    })
    await t.rejects(sealSeveral(counted.db, queue), /Connection terminated/)
    t.equal(counted.statements(), 1)
    await createSealer(db)()
  })
})
