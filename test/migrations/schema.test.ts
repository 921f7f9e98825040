import { readdirSync, readFileSync } from 'node:fs'
import { NO_MIGRATIONS, sql } from 'kysely'
import { distribution } from '../../src/database/distribution.js'
import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import { createDatabase } from '../helpers/database.js'
import { t } from '../helpers/file.js'

const { db, databaseUrl, drop } = await createDatabase()
const files = readdirSync('migrations')
t.teardown(async () => {
  await db.destroy()
  await drop()
})

/** The schema in the catalogs of PostgreSQL, without Kysely's own tables. */
async function describeSchema() {
  const columns = sql<{ table: string; name: string; type: string }>`
    select c.relname as "table", a.attname as name,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
      pg_get_expr(d.adbin, d.adrelid) as preset
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relname !~ '^kysely_'
      and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`
  // PostgreSQL 18 lists "not null" as a constraint as well.
  const constraints = sql<{ table: string; name: string; kind: string; definition: string }>`
    select c.relname as "table", o.conname as name, o.contype as kind,
      pg_get_constraintdef(o.oid) as definition
    from pg_constraint o join pg_class c on c.oid = o.conrelid
    where c.relnamespace = 'public'::regnamespace and c.relname !~ '^kysely_'
      and o.contype <> 'n'
    order by 1, 2`
  const indexes = sql<{ table: string; name: string; definition: string }>`
    select tablename as "table", indexname as name, indexdef as definition
    from pg_indexes where schemaname = 'public' and tablename !~ '^kysely_' order by 1, 2`
  return {
    columns: (await columns.execute(db)).rows,
    constraints: (await constraints.execute(db)).rows,
    indexes: (await indexes.execute(db)).rows,
  }
}

t.test('Migrations', async (t) => {
  await migrateToLatest(db)
  const before = await describeSchema()

  t.test('migrate up, down to an empty schema, and up to the same schema', async (t) => {
    t.ok(before.columns.length > 50)
    const { error, results } = await createMigrator(db).migrateTo(NO_MIGRATIONS)
    t.equal(error, undefined)
    t.equal(results?.length, files.length)
    t.strictSame(await describeSchema(), { columns: [], constraints: [], indexes: [] })
    await migrateToLatest(db)
    t.strictSame(await describeSchema(), before)
  })

  t.test('can be run again without any effect', async (t) => {
    const { error, results } = await createMigrator(db).migrateToLatest()
    t.equal(error, undefined)
    t.strictSame(results, [])
  })

  t.test('are safe when several processes start concurrently', async (t) => {
    await createMigrator(db).migrateTo(NO_MIGRATIONS)
    const options = { databaseUrl, dataDir: 'memory://', databasePoolMax: 2 }
    // The embedded database has one process. There the callers of one pool take turns.
    const open = async () => (databaseUrl ? openDatabase(options, () => {}) : db)
    const processes = await Promise.all([open(), open(), open(), open()])
    await Promise.all(processes.map((one) => migrateToLatest(one)))
    t.strictSame(await describeSchema(), before)
    const { rows } = await sql<{ name: string }>`
      select name from kysely_migration order by name`.execute(db)
    t.strictSame(
      rows.map(({ name }) => `${name}.ts`),
      [...files].sort(),
    )
    await Promise.all(processes.filter((one) => one !== db).map((one) => one.destroy()))
  })

  t.test('keep the timeouts of their connection', async (t) => {
    const settings = () =>
      sql`select current_setting('lock_timeout') as lock,
        current_setting('statement_timeout') as statement`.execute(db)
    const { rows } = await settings()
    await migrateToLatest(db)
    t.strictSame((await settings()).rows, rows)
  })

  for (const file of files) {
    t.test(`${file} is named by its time and imports nothing from src`, async (t) => {
      t.match(file, /^\d{8}T\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.ts$/)
      const text = readFileSync(`migrations/${file}`, 'utf8')
      const imported = [...text.matchAll(/\bfrom '([^']+)'|\bimport\(/g)].map(([, name]) => name)
      t.strictSame(imported, ['kysely'])
      t.match(text, /export async function up\(db: Kysely<unknown>\)/)
      t.match(text, /export async function down\(_?db: Kysely<unknown>\)/)
    })
  }
})

/** The first column of a constraint or index, and of the target of a foreign key. */
const firstColumns = (definition: string) =>
  [...definition.matchAll(/\((\w+)[^()]*\)/g)].map(([, column]) => column)

t.test('The schema', async (t) => {
  const { columns, constraints, indexes } = await describeSchema()
  const tables = [...new Set(columns.map(({ table }) => table))]
  const hasOrganization = (table: string) =>
    columns.some((one) => one.table === table && one.name === 'organization_id')
  const exceptions = new Set([
    'experiments_by_id',
    'experiments_by_control_session',
    'experiments_by_intervention_session',
    'users_by_id',
    'attempts_by_expiry',
    'login_sessions_by_expiry',
    'refresh_tokens_by_use',
    'quick_setups_by_id',
    'simulation_sessions_by_id',
    'simulation_sessions_due',
  ])

  t.test('defines for each table how a cluster distributes it', async (t) => {
    t.strictSame(Object.keys(distribution).sort(), tables)
    for (const table of tables.filter((one) => hasOrganization(one) && one !== 'email_registry')) {
      t.equal(Reflect.get(distribution, table), 'organization_id', table)
    }
  })

  for (const [table, key] of Object.entries(distribution)) {
    // Every node has a copy of the table.
    if (key === null) continue
    const constraintsOf = (kinds: string) =>
      constraints.filter((one) => one.table === table && kinds.includes(one.kind))

    t.test(`has ${key} as the first column of every key and index of ${table}`, async (t) => {
      const column = columns.find((one) => one.table === table && one.name === key)
      t.match(column, { type: /_id$/.test(key) ? 'uuid' : 'text', required: true })
      t.equal(constraintsOf('p').length, 1, 'it has a primary key')
      t.strictSame(constraintsOf('x'), [], 'and no exclusion constraint across tenants')
      for (const { name, definition } of constraintsOf('pu')) {
        t.equal(firstColumns(definition)[0], key, name)
      }
      for (const { name, definition } of constraintsOf('f')) {
        const target = /REFERENCES organizations\(_id\)/.test(definition) ? '_id' : undefined
        t.strictSame(
          firstColumns(definition).slice(0, 2),
          ['organization_id', target ?? 'organization_id'],
          name,
        )
      }
      for (const { name, definition } of indexes.filter((one) => one.table === table)) {
        const hasKeyFirst = firstColumns(definition)[0] === key
        const isUnique = definition.startsWith('CREATE UNIQUE')
        t.ok(hasKeyFirst || (exceptions.has(name) && !isUnique), name)
      }
    })
  }

  t.test('has no foreign key to a shared table, except to the organization', async (t) => {
    const toRegistry = constraints.filter(({ definition }) => /REFERENCES email_/.test(definition))
    t.strictSame(toRegistry, [])
  })

  t.test('names constraints and indexes after their table', async (t) => {
    for (const { table, name } of [...constraints, ...indexes]) {
      t.ok(name.startsWith(table.replace(/s$/, '')), `${name} of ${table}`)
      // PostgreSQL allows 63 bytes for a name, and a shard adds its number to it.
      t.ok(name.length <= 50, name)
    }
  })

  t.test('uses only the types that the contract needs', async (t) => {
    const types = new Set(columns.map(({ type }) => type))
    const wanted = [
      'uuid',
      'text',
      'text[]',
      'jsonb',
      'boolean',
      'integer',
      'bigint',
      'bytea',
      'timestamp(3) with time zone',
    ]
    t.strictSame(
      [...types].filter((type) => !wanted.includes(type)),
      [],
    )
  })
})
