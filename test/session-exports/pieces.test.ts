import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { maxBytes, selectMessages } from '../../src/session-exports/queries.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { app, call, db } = service
const { admin, organization_id, play, change, addMessages } = await openStage(service)

/** Stores ratings by the admin, who sees their own ratings. */
async function addRatings(session_id: string, count: number): Promise<void> {
  const place = { organization_id, session_id, rater_id: admin.user_id, pseudonym: 'r-1' }
  const rows = Array.from({ length: count }, (_, i) => {
    return { ...place, subject: 'team', criterion: `No. ${i}`, value: jsonb(i), comment: null }
  })
  const rated_at = new Date().toISOString()
  await db
    .insertInto('session_ratings')
    .values(rows.map((row) => ({ ...row, rated_at })))
    .execute()
}

/** The number of pauses during the requests of a run. */
async function countPauses(run: () => Promise<void>): Promise<number> {
  let pauses = 0
  const { slices } = app
  const { pauseOf } = slices
  slices.pauseOf = (key, isWanted) => {
    const pause = pauseOf.call(slices, key, isWanted)
    return () => {
      pauses++
      return pause()
    }
  }
  try {
    await run()
  } finally {
    slices.pauseOf = pauseOf
  }
  return pauses
}

t.test('exportSession', async (t) => {
  t.test('reads only a few long messages at a time, and writes all of them', async (t) => {
    const session = await play()
    await addMessages(session, 120, '€'.repeat(10_000))
    await addMessages(session, 600, 'short')
    const place = { organization_id, session_id: session._id, to: 720 }
    const long = await selectMessages(db, { ...place, after: 0 })
    const bytes = long.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
    t.ok(long.length > 1 && bytes <= maxBytes, `${long.length} messages of ${bytes} bytes`)
    t.equal((await selectMessages(db, { ...place, after: 120 })).length, 500)
    t.strictSame(Object.keys(long[0] ?? {}).includes('all_bytes'), false)

    const query = { format: 'xapi' }
    const { body } = await call('exportSession', { token: admin.token, ...session, query })
    t.equal(new Set(body.map(({ id }: Schema<'XapiStatement'>) => id)).size, 720)
  })

  t.test('pauses before each 500 messages and each 500 ratings', async (t) => {
    const [few, many] = [await play(), await play()]
    await addMessages(few, 1, 'short')
    await addMessages(many, 1_300, 'short')
    await addRatings(few._id, 1)
    await addRatings(many._id, 2_300)
    for (const session of [few, many]) await change('endSession', admin, session)
    const { params } = many
    for (const [format, more] of [
      ['csv', 2 + 4],
      ['ndjson', 2 + 4],
      ['xapi', 2],
    ] as const) {
      const query = { format }
      const pausesOf = ({ params }: typeof few) =>
        countPauses(async () => {
          const { status } = await call('exportSession', { token: admin.token, params, query })
          t.equal(status, 200)
        })
      t.equal((await pausesOf(many)) - (await pausesOf(few)), more, format)
    }
    const { body } = await call('exportSession', { token: admin.token, params })
    const records: { record: string; value?: number }[] = body
      .split('\n')
      .slice(0, -1)
      .map((line: string) => JSON.parse(line))
    const ratings = records.filter(({ record }) => record === 'rating')
    t.equal(new Set(ratings.map(({ value }) => value)).size, 2_300, 'each rating is exported once')
    t.match(records.at(-1), { record: 'end', messages: 1_300, ratings: 2_300 })
  })
})
