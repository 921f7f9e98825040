import { sql } from 'kysely'
import { linkOf, linkTo } from '../../src/audit-events/chain/chain.js'
import { beforeAll } from '../../src/audit-events/sealing/seal.js'
import { sealBatchSize } from '../../src/audit-events/sealing/seal-queries.js'
import { sealTogether } from '../../src/audit-events/sealing/seal-several.js'
import { selectQueue } from '../../src/audit-events/sealing/seal-several-queries.js'
import { createSealer } from '../../src/audit-events/sealing/sealing.js'
import { migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { insertEvents, tamper } from '../helpers/events.js'
import { t } from '../helpers/file.js'

// The sealer of a running service would also seal the waiting events, so none is started.
const { db, drop } = await createDatabase({ isMigrated: true })
await migrateToLatest(db)
t.teardown(async () => {
  await db.destroy()
  await drop()
})

/** Organizations with the given numbers of waiting events. Returns their ids, sorted. */
async function insertOrganizations(...numbers: number[]): Promise<string[]> {
  const ids = numbers.map(() => createId()).sort()
  for (const [i, _id] of ids.entries()) {
    await db.insertInto('organizations').values({ _id, name: 'Nordlicht' }).execute()
    const events = Array.from({ length: numbers[i] ?? 0 }, (_, n) => eventOf(_id, n))
    await insertEvents(db, events)
  }
  return ids
}

const eventOf = (organization_id: string, n: number) => ({ organization_id, metadata: { n } })

/** Counts the sealed events of each organization. Throws when a chain is not valid. */
async function sealedIn(organization_ids: string[]): Promise<number[]> {
  const numbers = []
  for (const organization_id of organization_ids) {
    const seals = await db
      .selectFrom('audit_seals')
      .innerJoin('audit_events', (join) =>
        join
          .onRef('audit_events.organization_id', '=', 'audit_seals.organization_id')
          .onRef('audit_events._id', '=', 'audit_seals.event_id'),
      )
      .select(['sequence', 'event_id', 'hash', 'document'])
      .where('audit_seals.organization_id', '=', organization_id)
      .orderBy('sequence')
      .execute()
    let link = linkOf(undefined)
    for (const { sequence, hash, document } of seals) {
      link = linkTo(link, document)
      if (sequence !== link.sequence) throw new Error(`number ${sequence} after a gap`)
      if (!link.hash.equals(hash)) throw new Error(`wrong hash of number ${sequence}`)
    }
    const events = new Set(seals.map(({ event_id }) => event_id))
    if (events.size !== seals.length) throw new Error('an event is sealed twice')
    numbers.push(seals.length)
  }
  return numbers
}

async function waitingIn(organization_ids: string[]): Promise<number[]> {
  const numbers = []
  for (const organization_id of organization_ids) {
    const waiting = await db
      .selectFrom('unsealed_events')
      .select('event_id')
      .where('organization_id', '=', organization_id)
      .execute()
    numbers.push(waiting.length)
  }
  return numbers
}

/** Runs while the database refuses every seal of one organization. */
async function whileRefused(organization_id: string, run: () => Promise<void>): Promise<void> {
  const constraint = sql.ref('audit_seals_refused')
  await sql`alter table audit_seals add constraint ${constraint}
    check (organization_id <> ${sql.lit(organization_id)})`.execute(db)
  try {
    await run()
  } finally {
    await sql`alter table audit_seals drop constraint ${constraint}`.execute(db)
  }
}

t.test('The sealer seals', async (t) => {
  t.test('many organizations, and later their new events', async (t) => {
    const organizations = await insertOrganizations(2, 1, 3, 0)
    const seal = createSealer(db)
    await seal()
    t.strictSame(await sealedIn(organizations), [2, 1, 3, 0])
    t.strictSame(await waitingIn(organizations), [0, 0, 0, 0])
    const [first = '', , third = ''] = organizations
    await insertEvents(db, [eventOf(first, 3), eventOf(third, 4)])
    await seal()
    t.strictSame(await sealedIn(organizations), [3, 1, 4, 0])
  })

  t.test('more events than fit into one statement', async (t) => {
    const numbers = [1, sealBatchSize - 1, 2, 2 * sealBatchSize + 1, 1]
    const organizations = await insertOrganizations(...numbers)
    await createSealer(db)()
    t.strictSame(await sealedIn(organizations), numbers)
  })

  t.test('without a gap or a duplicate, with any number of concurrent sealers', async (t) => {
    const organizations = await insertOrganizations(...Array.from({ length: 12 }, () => 0))
    const sealers = Array.from({ length: 4 }, () => createSealer(db))
    for (let round = 0; round < 6; round++) {
      for (const [i, organization_id] of organizations.entries()) {
        await insertEvents(
          db,
          Array.from({ length: i * 7 + 1 }, (_, n) => eventOf(organization_id, n)),
        )
      }
      await Promise.all(sealers.map((seal) => seal()))
    }
    await createSealer(db)()
    t.strictSame(
      await sealedIn(organizations),
      organizations.map((_, i) => 6 * (i * 7 + 1)),
    )
    t.strictSame(
      await waitingIn(organizations),
      organizations.map(() => 0),
    )
  })

  t.test('other organizations when one cannot be sealed', async (t) => {
    const organizations = await insertOrganizations(2, 2, sealBatchSize + 1, 2)
    const [, refused = '', , last = ''] = organizations
    const seal = createSealer(db)
    await whileRefused(refused, async () => {
      await t.rejects(seal(), /audit_seals_refused/)
      t.strictSame(await sealedIn(organizations), [2, 0, sealBatchSize + 1, 2])
      await insertEvents(db, [eventOf(last, 3)])
      await t.rejects(seal(), /audit_seals_refused/)
      t.strictSame(await sealedIn(organizations), [2, 0, sealBatchSize + 1, 3])
    })
    await seal()
    t.strictSame(await sealedIn(organizations), [2, 2, sealBatchSize + 1, 3])
  })

  t.test('events that follow lost events', async (t) => {
    const organizations = await insertOrganizations(sealBatchSize + 2, 2)
    const [organization_id = ''] = organizations
    await tamper(db, async (trx) => {
      await sql`delete from audit_events where organization_id = ${organization_id} and _id in
        (select event_id from unsealed_events where organization_id = ${organization_id}
          order by event_id limit ${sealBatchSize})`.execute(trx)
    })
    await createSealer(db)()
    t.strictSame(await sealedIn(organizations), [2, 2])
    t.strictSame(await waitingIn(organizations), [sealBatchSize, 0])
    await db.deleteFrom('unsealed_events').where('organization_id', '=', organization_id).execute()
  })

  t.test('no event of an organization after its stop signal', async (t) => {
    const organizations = await insertOrganizations(2)
    await createSealer(db)(() => true)
    t.strictSame(await sealedIn(organizations), [0])
    await createSealer(db)()
    t.strictSame(await sealedIn(organizations), [2])
  })
})

const skip = process.env.TEST_CITUS_URL && 'On a cluster each organization is sealed separately'
t.test('Seals of several organizations', { skip }, async (t) => {
  t.test('are all refused when one sequence number is taken', async (t) => {
    const organizations = await insertOrganizations(2, 2, 2)
    const [, second = ''] = organizations
    const queue = await selectQueue(db, { after: beforeAll })
    const own = queue.filter(({ organization_id }) => organization_id === second)
    t.equal(await sealTogether(db, own), true)
    t.equal(await sealTogether(db, queue), false)
    t.strictSame(await sealedIn(organizations), [0, 2, 0])
    t.strictSame(await waitingIn(organizations), [2, 0, 2])
    await createSealer(db)()
    t.strictSame(await sealedIn(organizations), [2, 2, 2])
  })

  t.test('take one page of a long queue, then the next organization', async (t) => {
    const [first = '', second = ''] = await insertOrganizations(sealBatchSize + 3, 1)
    const page = await selectQueue(db, { after: beforeAll })
    t.strictSame(new Set(page.map(({ organization_id }) => organization_id)), new Set([first]))
    t.equal(page.length, sealBatchSize)
    const next = await selectQueue(db, { after: first })
    t.match(next, [{ organization_id: second }])
    await createSealer(db)()
    t.strictSame(await sealedIn([first, second]), [sealBatchSize + 3, 1])
  })
})
