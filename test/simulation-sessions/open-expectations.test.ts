import { jsonb } from '../../src/database/expressions.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { openQuestions } from '../helpers/questions.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { call, db, addMember } = service
const stage = await openQuestions(service)
const { admin, ben, ask, change, draft, expectations, pass, play, reply, waitForTexts } = stage

/** The number of open expectations, in the list and in the session. */
async function openIn({ token }: { token: string }, { _id }: { _id: string }): Promise<number[]> {
  const { body: session } = await call('getSession', { token, params: { session_id: _id } })
  const { scenario_name } = session
  const { body: listed } = await call('listSessions', { token, query: { scenario_name } })
  const inList = listed.find((one: { _id: string }) => one._id === _id)
  return [inList.open_expectations, session.counts.open_expectations]
}

t.test('listSessions and getSession count the open expectations', async (t) => {
  t.test('that are asked, not answered and not lapsed', async (t) => {
    const [session, other] = [await ask(), await ask()]
    for (const reader of [admin, ben]) t.strictSame(await openIn(reader, session), [2, 2])
    await pass(session, 1)
    await waitForTexts(session, 3)
    t.strictSame(await openIn(ben, session), [3, 3], 'one more is asked')
    await reply(ben, session, 'When?')
    t.strictSame(await openIn(ben, session), [2, 2], 'one is answered')
    await pass(session, 4.5)
    t.strictSame(await openIn(ben, session), [1, 1], 'one has lapsed')
    t.strictSame(await openIn(ben, other), [2, 2], 'another session is unchanged')
  })

  t.test('at the current position of the clock', async (t) => {
    const session = await ask()
    await change('pauseSession', admin, session)
    // The clock stands as if it had paused an hour ago, right after its start.
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
    await db
      .updateTable('simulation_sessions')
      .set({ anchor_at: hourAgo, paused_at: hourAgo })
      .where('_id', '=', session._id)
      .execute()
    t.strictSame(await openIn(ben, session), [2, 2])
    t.match(await expectations(ben, session), [{ status: 'open' }, { status: 'open' }])
    await change('endSession', admin, session)
    t.strictSame(await openIn(ben, session), [0, 0], 'none after the end')
  })

  t.test('as zero when nothing is asked', async (t) => {
    t.strictSame(await openIn(admin, await draft()), [0, 0])
    t.strictSame(await openIn(ben, await play()), [0, 0])
  })

  t.test('for sessions of all organizations', async (t) => {
    const root = await addMember(admin.organization_id, 'super_admin')
    t.strictSame(await openIn(root, await ask()), [2, 2])
  })

  t.test('among the last thousand expectations', async (t) => {
    const session = await ask()
    const { organization_id, bot } = stage
    const place = { organization_id, session_id: session._id, conversation_id: session.home }
    const fields = { channel_id: session.home, sender_id: bot.user_id, content: 'What now?' }
    const rows = Array.from({ length: 1_100 }, (_, i) => ({
      ...place,
      ...fields,
      _id: createId(),
      seq: 100 + i,
      offset_ms: 0,
      sender_kind: 'character' as const,
      expectation: jsonb({ act: 'answer', deadline_minutes: 5, options: [], decision: null }),
    }))
    await db.insertInto('session_messages').values(rows).execute()
    t.strictSame(await openIn(ben, session), [1000, 1000])
  })
})
