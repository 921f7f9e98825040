import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { call } = service
const { ben, play, post, addMessages } = await openStage(service)

/** The sequence numbers of a page, and the query of the page that `Link` names. */
async function page(params: { session_id: string }, query: Record<string, string>) {
  const answer = await call('listSessionMessages', { token: ben.token, params, query })
  const [, url = '', rel] = /^<([^>]+)>; rel="(\w+)"$/.exec(answer.headers.get('link') ?? '') ?? []
  const link = Object.fromEntries(new URLSearchParams(url.split('?')[1]))
  return { seqs: answer.body.map(({ seq }: { seq: number }) => seq), rel, link }
}

t.test('The latest messages', async (t) => {
  const session = await play()
  const { params } = session
  await addMessages(session, 7, 'Good morning')

  t.test('are sorted by seq, with a link to the page before', async (t) => {
    const last = await page(params, { latest: '3' })
    t.match(last, { seqs: [5, 6, 7], rel: 'prev', link: { latest: '3', before: '5' } })
    const middle = await page(params, last.link)
    t.match(middle, { seqs: [2, 3, 4], rel: 'prev' })
    t.match(await page(params, middle.link), { seqs: [1], rel: undefined })
  })

  t.test('can also be limited by after', async (t) => {
    t.match(await page(params, { latest: '3', after: '6' }), { seqs: [7], rel: undefined })
    const { seqs, rel } = await page(params, { before: '4' })
    t.strictSame([seqs, rel], [[1, 2, 3], undefined])
  })

  t.test('can be limited to one conversation', async (t) => {
    await post(ben, session, { conversation_id: session.away })
    const query = { latest: '2', conversation_id: session.home }
    t.strictSame((await page(params, query)).seqs, [6, 7])
  })
})

t.test('A page continues at its cursor, but never before `after`', async (t) => {
  const session = await play()
  await addMessages(session, 7, 'Hello')
  const { link, seqs } = await page(session.params, { limit: '3' })
  t.strictSame(seqs, [1, 2, 3])
  const { cursor = '' } = link
  t.strictSame((await page(session.params, { limit: '3', cursor })).seqs, [4, 5, 6])
  t.strictSame((await page(session.params, { cursor, after: '5' })).seqs, [6, 7])
  t.strictSame((await page(session.params, { cursor, after: '2' })).seqs, [4, 5, 6, 7])
  const query = { cursor: 'x' }
  const { status, body } = await call('listSessionMessages', {
    token: ben.token,
    ...session,
    query,
  })
  t.equal(status, 422)
  t.match(body.detail, [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }])
})

t.test('A page of long messages ends after 256 KiB, and none is left out', async (t) => {
  for (const begin of ['latest=500', 'after=0']) {
    // Messages of the maximum size in bytes, so that a few fill a page.
    for (const content of ['é'.repeat(10_000), '😀'.repeat(9_500)]) {
      const session = await play()
      await addMessages(session, 70, content)
      const seqs: number[] = []
      let query: Record<string, string> | undefined = Object.fromEntries(new URLSearchParams(begin))
      let pages = 0
      while (query) {
        const found: Awaited<ReturnType<typeof page>> = await page(session.params, query)
        seqs.push(...found.seqs)
        pages++
        query = found.rel ? found.link : undefined
      }
      t.strictSame(
        seqs.sort((a, b) => a - b),
        Array.from({ length: 70 }, (_, i) => i + 1),
      )
      t.ok(pages > 1)
    }
  }
})
