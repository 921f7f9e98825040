import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { sealTrail } from '../../src/audit-events/sealing/seal.js'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import { readConfig } from '../../src/process/config.js'
import { insertEvents, tamper } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { node } from '../helpers/node.js'
import { placeWithDatabase, start, stopEverything } from '../helpers/process.js'

t.teardown(stopEverything)
const place = await placeWithDatabase(t, { isMigrated: true })

async function onDatabase<T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const db = await openDatabase(readConfig({ ...place }), () => {})
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

function run(script: string, ...args: string[]) {
  const file = fileURLToPath(new URL(`../../scripts/${script}.js`, import.meta.url))
  return start({ ...place }, [...node, file, ...args]).exit
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/**
 * An organization whose trail starts with three events that are too old, followed by two newer
 * ones.
 */
const organization_id = createId()
await onDatabase(async (db) => {
  await migrateToLatest(db)
  await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()
  const days = [400, 400, 400, 100, 100]
  const events = days.map((age) => ({ organization_id, created_at: daysAgo(age) }))
  await insertEvents(db, events)
  await sealTrail(db, organization_id)
})

t.test('The verify command reports that every trail in the database is valid', async (t) => {
  const { code, output } = await run('audit-verify')
  t.equal(code, 0, output)
  t.match(output, new RegExp(`${organization_id}: valid, 5 events up to 5, [0-9a-f]{64}`))
})

t.test('The prune command removes events that are too old, once', async (t) => {
  const first = await run('audit-prune')
  t.equal(first.code, 0, first.output)
  t.match(first.output, `${organization_id}: 3 events removed`)
  const second = await run('audit-prune')
  t.equal(second.code, 0, second.output)
  t.match(second.output, 'Nothing to do')
})

t.test('A pruned trail can be verified', async (t) => {
  await onDatabase((db) => sealTrail(db, organization_id))
  const { code, output } = await run('audit-verify', '--organization', organization_id)
  t.equal(code, 0, output)
  t.match(output, `${organization_id}: valid, 3 events up to 6`)
})

t.test('The verify command fails where an event was changed', async (t) => {
  await onDatabase((db) =>
    tamper(db, (trx) =>
      trx
        .updateTable('audit_events')
        .set({ document: '{}' })
        .where('organization_id', '=', organization_id)
        .where('event_type', '=', 'message_sent')
        .execute(),
    ),
  )
  const { code, output } = await run('audit-verify')
  t.equal(code, 1)
  t.match(output, `${organization_id}: BROKEN at 4, event `)
})

t.test('The commands fail for an unknown option, and for an unknown organization', async (t) => {
  for (const script of ['audit-verify', 'audit-prune']) {
    const { code, output } = await run(script, '--sideways')
    t.equal(code, 1, script)
    t.match(output, "Unknown option '--sideways'")
  }
  const { code, output } = await run('audit-verify', '--organization', createId())
  t.equal(code, 1)
  t.match(output, 'There is no such organization.')
})
