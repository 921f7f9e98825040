import type { Kysely } from 'kysely'
import { exportTrail } from '../../src/audit-events/export/export-trail.js'
import { readFilters } from '../../src/audit-events/queries.js'
import { sealTrail } from '../../src/audit-events/sealing/seal.js'
import { createSealer } from '../../src/audit-events/sealing/sealing.js'
import { verifyTrail } from '../../src/audit-events/verification/verify.js'
import type { Pieces } from '../../src/contract.js'
import { migrateToLatest } from '../../src/database/migrate.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import type { Pause } from '../../src/turns/slices.js'
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

const partBytes = 4 * 1_048_576
const longBytes = 60 * 1_024

/** An organization with short events, followed by long ones. */
async function insertOrganization(shortCount: number, longCount: number): Promise<string> {
  const organization_id = createId()
  await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()
  const texts = Array.from({ length: shortCount + longCount }, (_, i) =>
    'x'.repeat(i < shortCount ? 9 : longBytes),
  )
  for (let from = 0; from < texts.length; from += 100) {
    const events = texts
      .slice(from, from + 100)
      .map((text) => ({ organization_id, metadata: { text } }))
    await insertEvents(db, events)
  }
  return organization_id
}

/** The size in bytes of the documents in the database's largest answer. */
async function largestAnswer(work: (db: Kysely<Database>) => Promise<unknown>): Promise<number> {
  let largest = 0
  const measured = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const lengths = result.rows.map(({ document }) => String(document ?? '').length)
      largest = Math.max(
        largest,
        lengths.reduce((sum, length) => sum + length, 0),
      )
      return result
    },
  })
  await work(measured)
  return largest
}

const atOnce = <T>(fetch: () => Promise<T>) => fetch()
const filters = readFilters({})

async function readAll(pieces: Pieces): Promise<number> {
  let lines = 0
  for await (const piece of pieces) lines += String(piece).split('\n').length - 1
  return lines
}

/** How often the work offers to pause. */
async function countPauses(work: (pause: Pause) => Promise<unknown>): Promise<number> {
  let pauses = 0
  await work(async () => {
    pauses++
  })
  return pauses
}

t.test('A trail with events of maximum length', async (t) => {
  const count = 850
  const organization_id = await insertOrganization(count - 250, 250)

  t.test('is sealed in parts of 4 MiB', async (t) => {
    const largest = await largestAnswer((db) => sealTrail(db, organization_id))
    t.ok(largest > partBytes / 2 && largest < partBytes + 2 * longBytes, `${largest} bytes`)
    t.match(await verifyTrail({ db, organization_id }), { valid: true, events: count })
  })

  t.test('is sealed in parts of 4 MiB together with other organizations', async (t) => {
    const others = [await insertOrganization(3, 100), await insertOrganization(3, 100)]
    const largest = await largestAnswer((db) => createSealer(db)())
    t.ok(largest > partBytes / 2 && largest < partBytes + 2 * longBytes, `${largest} bytes`)
    for (const organization_id of others) {
      t.match(await verifyTrail({ db, organization_id }), { valid: true, events: 103 })
    }
  })

  t.test('is verified and exported in parts of 4 MiB', async (t) => {
    const verified = await largestAnswer((db) => verifyTrail({ db, organization_id }))
    t.ok(verified > partBytes / 2 && verified < partBytes + 2 * longBytes, `${verified} bytes`)
    for (const query of [{}, { category: 'simulation' }]) {
      const exported = await largestAnswer(async (db) => {
        const selection = { organization_id, filters: readFilters(query) }
        const pieces = await exportTrail(db, atOnce, selection, 'ndjson')
        t.equal(await readAll(pieces), count + 1)
      })
      t.ok(exported > partBytes / 2 && exported < partBytes + 2 * longBytes, `${exported} bytes`)
    }
  })

  t.test('is verified and exported with pauses', async (t) => {
    const verify = (pause: Pause) => verifyTrail({ db, organization_id, pause })
    t.equal(await countPauses(verify), count, 'after each event')
    const read = async (pause: Pause) =>
      readAll(await exportTrail(db, atOnce, { organization_id, filters, pause }, 'ndjson'))
    const pauses = await countPauses(read)
    t.ok(pauses > 20, `${pauses} pauses`)
  })
})
