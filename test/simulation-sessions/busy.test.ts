import type { OperationId } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, databaseUrl } = service
const { admin, organization_id, hr, ben, session, sessionWith, join } = await openWorkplace(service)
const skip = databaseUrl ? false : 'the embedded database has one connection'

/** Locks the row of a session or of the whole organization, like a long change. */
async function hold(session_id?: string): Promise<() => Promise<void>> {
  const trx = await db.startTransaction().execute()
  const query = session_id
    ? trx
        .selectFrom('simulation_sessions')
        .select('_id')
        .where('organization_id', '=', organization_id)
        .where('_id', '=', session_id)
    : trx.selectFrom('organizations').select('_id').where('_id', '=', organization_id)
  await query.forNoKeyUpdate().execute()
  return async () => void (await trx.rollback().execute())
}

const busy = { status: 409, body: { code: 'busy' } }

t.test('While another request holds a session', { skip }, async (t) => {
  t.test('requests that change it get a 409 and delay no other request', async (t) => {
    const session_id = await session({}, 'startSession')
    const params = { session_id, user_id: ben.user_id }
    const release = await hold(session_id)
    const changes: [OperationId, object?][] = [
      ...Array.from({ length: 12 }, (): [OperationId] => ['pauseSession']),
      ['startSession'],
      ['resumeSession'],
      ['retrySession'],
      ['endSession'],
      ['updateSession', { name: 'Wednesday' }],
      ['setParticipants', { participants: [] }],
      ['removeParticipant'],
    ]
    const answers = await Promise.all(
      changes.map(([operationId, body]) =>
        call(operationId, { token: hr.token, params, ...(body && { body }) }),
      ),
    )
    for (const answer of answers) t.match(answer, busy)
    t.equal(answers[0]?.headers.get('retry-after'), '1')
    t.equal((await call('getSession', { token: hr.token, params })).status, 200)
    await release()
    t.equal((await call('pauseSession', { token: hr.token, params })).status, 200)
  })

  t.test('requests to write in it or join it wait', async (t) => {
    const session_id = await sessionWith([])
    const params = { session_id }
    const { body: found } = await call('getSession', { token: hr.token, params })
    const [{ conversation_id }] = found.conversations
    const body = { conversation_id, content: 'Now?', client_message_id: '1' }
    const release = await hold(session_id)
    const waiting = [
      call('postSessionMessage', { token: ben.token, params, body }),
      join(ben, session_id),
    ]
    t.match(await call('pauseSession', { token: hr.token, params }), busy)
    await release()
    const [posted, joined] = await Promise.all(waiting)
    t.match([posted?.status, joined?.status], [201, 200])
  })
})

t.test('While a setup is changed, every other change gets a 409', { skip }, async (t) => {
  const { token } = admin
  const { body: setup } = await call('applyQuickSetup', { token, body: {} })
  const params = { setup_id: setup._id }
  const release = await hold()
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, () => call('applyQuickSetup', { token, body: {} })),
    call('rollbackQuickSetup', { token, params }),
  ])
  for (const answer of answers) t.match(answer, busy)
  await release()
  t.equal((await call('rollbackQuickSetup', { token, params })).status, 200)
})
