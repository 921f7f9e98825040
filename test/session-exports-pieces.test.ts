import type { Schema } from '../src/contract.js'
import { bytesAtOnce, selectMessages } from '../src/session-exports/queries.js'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'
import { openStage } from './helpers/stage.js'

const service = await startService(t)
const { call, db } = service
const { admin, organization_id, play, addMessages } = await openStage(service)

t.test('exportSession', async (t) => {
  t.test('reads long messages few at a time, and misses none', async (t) => {
    const session = await play()
    await addMessages(session, 120, '€'.repeat(10_000))
    await addMessages(session, 600, 'short')
    const place = { organization_id, session_id: session._id, to: 720 }
    const long = await selectMessages(db, { ...place, after: 0 })
    const bytes = long.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
    t.ok(long.length > 1 && bytes <= bytesAtOnce, `${long.length} messages of ${bytes} bytes`)
    t.equal((await selectMessages(db, { ...place, after: 120 })).length, 500)
    t.strictSame(Object.keys(long[0] ?? {}).includes('all_bytes'), false)

    const query = { format: 'xapi' }
    const { body } = await call('exportSession', { token: admin.token, ...session, query })
    t.equal(new Set(body.map(({ id }: Schema<'XapiStatement'>) => id)).size, 720)
  })
})
