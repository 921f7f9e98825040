import { sql } from 'kysely'
import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { schemaFaults } from '../helpers/contract.js'
import { createDatabase } from '../helpers/database.js'
import { t } from '../helpers/file.js'

t.test('Documents of events that were recorded before documents existed', async (t) => {
  const { db, drop } = await createDatabase()
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  const before = '20261122T0900-attempts-in-vain'
  await migrateToLatest(db)
  const { error } = await createMigrator(db).migrateTo(before)
  t.equal(error, undefined)
  const organizations = [createId(), createId()]
  for (const _id of organizations) {
    await sql`insert into organizations (_id, name) values (${_id}, 'Acme')`.execute(db)
  }
  const [organization_id] = organizations
  await sql`
    insert into audit_events (organization_id, _id, category, event_type, status, actor_type,
      request_id, metadata, created_at)
    select ${organization_id}::uuid, lpad(to_hex(n), 32, '0')::uuid, 'user', 'user_updated',
      'success', 'user', 'request "' || n, '{"text": "ü\\n", "list": [1, null]}',
      timestamptz '2026-01-01T00:00:00.123Z' + n * interval '1 second'
    from generate_series(1, 10001) as n`.execute(db)

  // Simulates a migration that was cut off after the first batch.
  await createMigrator(db).migrateTo('20261122T1000-audit-documents')
  await sql`
    update audit_events set document = '{"_id":"kept"}'
    where organization_id = ${organization_id} and _id < lpad(to_hex(5001), 32, '0')::uuid
  `.execute(db)
  await migrateToLatest(db)

  t.test('are written where they are missing, and queued for sealing', async (t) => {
    const { rows } = await sql<{ kept: number; written: number }>`
      select count(*) filter (where document = '{"_id":"kept"}')::int as kept,
        count(*) filter (where document <> '{"_id":"kept"}')::int as written
      from audit_events where organization_id = ${organization_id}`.execute(db)
    t.strictSame(rows, [{ kept: 5_000, written: 5_001 }])
    const unsealed = await sql<{ n: number }>`
      select count(*)::int as n from unsealed_events
      where organization_id = ${organization_id}`.execute(db)
    t.strictSame(unsealed.rows, [{ n: 5_001 }])
  })

  t.test('match the columns, in the form of the contract', async (t) => {
    const { rows } = await sql<{ document: string }>`
      select document from audit_events where organization_id = ${organization_id}
      order by _id desc limit 1`.execute(db)
    const event = JSON.parse(rows[0]?.document ?? '')
    t.strictSame(schemaFaults(['components', 'schemas', 'AuditEvent'], event), [])
    const time = '2026-01-01T02:46:41.123Z'
    t.strictSame(event, {
      _id: '00000000-0000-0000-0000-000000002711',
      organization_id,
      category: 'user',
      event_type: 'user_updated',
      status: 'success',
      actor_type: 'user',
      actor_id: null,
      case_id: null,
      request_id: 'request "10001',
      conversation_id: null,
      channel_id: null,
      thread_id: null,
      metadata: { text: 'ü\n', list: [1, null] },
      created_at: time,
      updated_at: time,
    })
  })
})
