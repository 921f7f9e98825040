import { sql } from 'kysely'
import { createId } from '../../src/formats/identifiers.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage, type Play } from '../helpers/stage.js'

// The columns would stay in a shared database, whose service has prepared other statements.
const service = await startService(t, {}, { isAlone: true })
const { call, db, url } = service
const { admin, ben, play, post, list, addMessages } = await openStage(service)

const tables = [
  'simulation_sessions',
  'session_assignments',
  'session_decisions',
  'session_messages',
  'session_plan',
  'trainer_messages',
  'users',
]

t.test('A process goes on when a newer one adds columns to its tables', async (t) => {
  const session = await play()
  const sessions = [session, await play(), await play(), await play(), await play()]
  async function use(session: Play) {
    const message = { client_message_id: createId(), content: 'Hello' }
    const first = await post(ben, session, message)
    t.equal(first.status, 201)
    t.strictSame((await post(ben, session, message)).body, first.body, 'known when it is repeated')
    for (const reader of [ben, admin]) t.ok((await list(reader, session)).length > 0)
    const { status } = await call('listDecisions', { token: ben.token, ...session })
    t.equal(status, 200)
  }
  async function follow() {
    // Too long to stay in memory, so a stream reads it from the database.
    await addMessages(session, 20, 'A long message. '.repeat(100))
    const [last] = await list(admin, session, { latest: '1' })
    const old = last?.seq ?? Number.NaN
    const { waitForMessages, leave } = await openEvents(url, ben, session._id)
    await waitForMessages(old)
    await post(ben, session)
    await waitForMessages(old + 1)
    await leave()
  }
  // Each connection of the pool prepares its statements. Several sessions, because posts to one wait for each
  // other, and a busy machine would refuse the last ones.
  const useAll = () => Promise.all([...sessions, ...sessions, ...sessions].map(use))
  await useAll()
  await follow()
  for (const table of tables) {
    await sql`alter table ${sql.table(table)} add column added_meanwhile text`.execute(db)
  }
  await useAll()
  await follow()
})
