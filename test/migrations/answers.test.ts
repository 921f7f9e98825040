import type { Insertable } from 'kysely'
import { jsonb } from '../../src/database/expressions.js'
import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import { createDatabase } from '../helpers/database.js'
import { t } from '../helpers/file.js'

type Message = Partial<Insertable<Database['session_messages']>>

t.test('Messages from before answers were stored', async (t) => {
  const { db, drop } = await createDatabase({ isMigrated: true })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  const { error } = await createMigrator(db).migrateTo('20261125T1000-participants-last-spoke')
  t.equal(error, undefined)

  const expectation = jsonb({ act: 'answer', deadline_minutes: 5, options: [], decision: null })
  async function addSession(given: Message[]) {
    const [organization_id, session_id] = [createId(), createId()]
    await db.insertInto('organizations').values({ _id: organization_id, name: 'Acme' }).execute()
    const kind = { timing: 'drill', speed: 1, mode: 'scripted', status: 'running' } as const
    const session = { organization_id, _id: session_id, name: 'Tuesday', scenario_name: 'play' }
    await db
      .insertInto('simulation_sessions')
      .values({ ...session, ...kind })
      .execute()
    const place = { organization_id, session_id, conversation_id: createId() }
    const rows = given.map((message, i) => ({
      ...{ ...place, channel_id: createId(), content: `No. ${i}`, sender_id: 'somebody' },
      seq: i + 1,
      offset_ms: 0,
      sender_kind: 'character' as const,
      _id: createId(),
      ...message,
    }))
    for (const row of rows) await db.insertInto('session_messages').values(row).execute()
  }

  const ids = Array.from({ length: 9 }, () => createId())
  const [question = '', more = '', chat = '', outside = '', injected = '', first = ''] = ids
  const [second = '', late = '', third = ''] = ids.slice(6)
  const byParticipant = { sender_kind: 'participant' as const }
  await addSession([
    { _id: question, expectation },
    { _id: more, expectation, thread_id: question },
    { _id: chat },
    { _id: outside, ...byParticipant, thread_id: chat },
    { _id: injected, thread_id: question },
    { _id: first, ...byParticipant, thread_id: question },
    { _id: second, ...byParticipant, thread_id: question },
    { _id: late, expectation, thread_id: question },
    { _id: third, ...byParticipant, thread_id: question },
  ])
  const [other, answer] = [createId(), createId()]
  await addSession([
    { _id: other, expectation },
    { _id: answer, ...byParticipant, thread_id: other },
  ])
  await migrateToLatest(db)

  t.test('are linked to the expectations that they answer first', async (t) => {
    const rows = await db.selectFrom('session_messages').select(['_id', 'answers']).execute()
    const answering = rows.filter(({ answers }) => answers.length > 0)
    t.strictSame(Object.fromEntries(answering.map(({ _id, answers }) => [_id, answers])), {
      [first]: [question, more],
      [third]: [late],
      [answer]: [other],
    })
  })
})
