import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import { readConfig } from '../../src/process/config.js'
import { t } from '../helpers/file.js'
import { node } from '../helpers/node.js'
import { placeWithDatabase, start, stopEverything } from '../helpers/process.js'

t.teardown(stopEverything)
const place = await placeWithDatabase(t, { isMigrated: true })
const organization_id = createId()

async function onDatabase<T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const db = await openDatabase(readConfig({ ...place }), () => {})
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
await onDatabase(async (db) => {
  await migrateToLatest(db)
  await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()
})

function run(...args: string[]) {
  return runWith({}, ...args)
}

function runWith(environment: Record<string, string>, ...args: string[]) {
  const file = fileURLToPath(new URL('../../scripts/limits.js', import.meta.url))
  return start({ ...place, ...environment }, [...node, file, ...args]).exit
}

/** The stored limits, and the recorded changes. */
const stored = () =>
  onDatabase(async (db) => {
    const limits = await db
      .selectFrom('organization_limits')
      .select(['name', 'allowed'])
      .where('organization_id', '=', organization_id)
      .orderBy('name')
      .execute()
    const events = await db
      .selectFrom('audit_events')
      .select(['category', 'event_type', 'actor_type', 'actor_id', 'metadata'])
      .where('organization_id', '=', organization_id)
      .orderBy('_id')
      .execute()
    return { limits, events }
  })

t.test('npm run limits', async (t) => {
  t.test('shows what an organization uses and may use', async (t) => {
    const { code, output } = await run(organization_id)
    t.equal(code, 0, output)
    t.match(output, /^templates: 0 of 10000$/m)
    t.match(output, /^session_messages: - of 100000$/m)
    t.strictSame(await stored(), { limits: [], events: [] }, 'and changes nothing')
  })

  t.test('shows the default of the operator', async (t) => {
    const DEFAULT_LIMITS = '{"templates":7}'
    const { code, output } = await runWith({ DEFAULT_LIMITS }, organization_id)
    t.equal(code, 0, output)
    t.match(output, /^templates: 0 of 7$/m)
  })

  t.test('sets limits, and records the old and the new values', async (t) => {
    const { code, output } = await run(organization_id, 'templates=20000', 'people=0')
    t.equal(code, 0, output)
    t.match(output, /^templates: 0 of 20000 \(default 10000\)$/m)
    const changes = { templates: { from: 10_000, to: 20_000 }, people: { from: 20_000, to: 0 } }
    t.match(await stored(), {
      limits: [
        { name: 'people', allowed: 0 },
        { name: 'templates', allowed: 20_000 },
      ],
      events: [
        {
          category: 'organization',
          event_type: 'limits_changed',
          actor_type: 'system',
          ...{ actor_id: null, metadata: { changes } },
        },
      ],
    })
  })

  t.test('restores the default of a limit', async (t) => {
    const { code, output } = await run(organization_id, 'templates=default', 'people=0')
    t.equal(code, 0, output)
    t.match(output, /^templates: 0 of 10000$/m)
    const { limits, events } = await stored()
    t.strictSame(limits, [{ name: 'people', allowed: 0 }])
    t.strictSame(events.at(-1)?.metadata, {
      changes: { templates: { from: 20_000, to: 10_000 } },
    })
  })

  t.test('reports all unknown values, and then changes nothing', async (t) => {
    const before = await stored()
    const wrong = ['tables=3', 'templates=many', 'people=-1', 'streams=5', 'streams=6', 'exports=']
    const { code, output } = await run(organization_id, 'experiments=7', ...wrong)
    t.equal(code, 1)
    t.match(output, 'tables: is not a limit')
    for (const name of ['templates', 'people', 'exports']) {
      t.match(output, `${name}: must be a whole number of at most 15 digits, or default`)
    }
    t.match(output, 'streams: is given twice')
    const unknown = createId()
    for (const id of [unknown, 'acme']) {
      const refused = await run(id, 'templates=3')
      t.equal(refused.code, 1)
      t.match(refused.output, `${id}: is not an organization`)
    }
    t.match(await run(organization_id, '--sideways'), { code: 1, output: /Unknown option/ })
    t.strictSame(await stored(), before)
  })
})
