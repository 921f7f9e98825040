import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { insertEvents, tamper } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { type Answer, startService } from '../helpers/service.js'

const { call, request, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const params = { organization_id }
const list = (query: Record<string, string | string[]> = {}) =>
  call('listAuditEvents', { token, params, query })
const idsIn = ({ body }: Answer): string[] => body.map(({ _id }: Schema<'AuditEvent'>) => _id)

// 600 events, including the two of the registration. Many share a millisecond, in mixed order.
const total = 600
const events = Array.from({ length: total - 2 }, (_, i) => ({
  organization_id,
  _id: createId(),
  category: i % 3 === 0 ? 'simulation' : 'auth',
  event_type: i % 2 === 0 ? 'message_sent' : 'user_logged_in',
  created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, (i * 7) % 40)).toISOString(),
}))
await insertEvents(db, events)

const nextOf = ({ headers }: Answer) =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]

/** Every page from the first, each reached through the Link header of the previous page. */
async function walk(query: Record<string, string>) {
  const pages = [await list(query)]
  for (let next = nextOf(pages[0] as Answer); next && pages.length < 50; ) {
    const page = await request(next, { headers: { authorization: `Bearer ${token}` } })
    pages.push(page)
    next = nextOf(page)
  }
  return pages
}

t.test('listAuditEvents', async (t) => {
  t.test('returns 100 events by default, or as many as limit asks for', async (t) => {
    for (const [limit, count] of [
      [undefined, 100],
      ['1', 1],
      ['2', 2],
      ['499', 499],
      ['500', 500],
    ] as const) {
      const answer = await list(limit ? { limit } : {})
      t.equal(answer.body.length, count)
      t.ok(nextOf(answer), 'and links to the next page')
    }
    t.strictSame(idsIn(await list({ limit: '1' })), idsIn(await list()).slice(0, 1))
  })

  t.test('refuses a limit outside 1 to 500, and one that is not a decimal integer', async (t) => {
    const wrong = [
      ['0', 'greater_than_equal'],
      ['-1', 'greater_than_equal'],
      ['501', 'less_than_equal'],
      ['99999999999999999999', 'less_than_equal'],
      ['1.5', 'int_parsing'],
      ['1e2', 'int_parsing'],
      ['0x10', 'int_parsing'],
      ['ten', 'int_parsing'],
    ]
    for (const [limit = '', type] of wrong) {
      const answer = await list({ limit })
      t.equal(answer.status, 422, limit)
      t.match(answer.body.detail, [{ loc: ['query', 'limit'], type, msg: /\S/ }])
    }
    t.match((await list({ limit: ['1', '2'] })).body.detail, [{ loc: ['query', 'limit'] }])
  })

  t.test('reports all faults of a query together', async (t) => {
    const { status, body } = await list({ limit: '0', category: ['a', 'b'], status: 'a\0b' })
    t.equal(status, 422)
    const places = body.detail.map(({ loc }: Schema<'ValidationErrorItem'>) => loc.join('.'))
    t.strictSame(places.toSorted(), ['query.category', 'query.limit', 'query.status'])
  })

  for (const limit of ['37', '100', '300']) {
    t.test(`returns each event exactly once in pages of ${limit}`, async (t) => {
      const pages = await walk({ limit })
      const sizes = pages.map(({ body }) => body.length)
      t.equal(pages.length, Math.ceil(total / Number(limit)))
      t.ok(sizes.slice(0, -1).every((size) => size === Number(limit)))
      const all: Schema<'AuditEvent'>[] = pages.flatMap(({ body }) => body)
      t.equal(new Set(all.map(({ _id }) => _id)).size, total)
      t.equal(all.length, total)
      const order = all.map(({ created_at, _id }) => `${created_at} ${_id}`)
      t.strictSame(order, order.toSorted().toReversed())
      t.equal(pages.at(-1)?.headers.get('link'), null)
    })
  }

  t.test('keeps the filters and the limit from page to page', async (t) => {
    const filters = { category: 'simulation', event_type: 'message_sent', status: 'info' }
    const pages = await walk({ ...filters, limit: '30' })
    const all: Schema<'AuditEvent'>[] = pages.flatMap(({ body }) => body)
    const wanted = events.filter(
      (e) => e.category === 'simulation' && e.event_type === 'message_sent',
    )
    const ids = all.map(({ _id = '' }) => _id)
    t.strictSame(ids.toSorted(), wanted.map(({ _id }) => _id).toSorted())
    t.ok(pages.length > 2)
  })

  for (const [size, sizes] of [
    [99, [99]],
    [100, [100]],
    [101, [100, 1]],
    [201, [100, 100, 1]],
  ] as const) {
    t.test(`returns ${size} events in pages of ${sizes.join(', ')} by default`, async (t) => {
      const event_type = `one_of_${size}`
      const rows = Array.from({ length: size }, () => ({
        organization_id,
        _id: createId(),
        category: 'edge',
        event_type,
      }))
      await insertEvents(db, rows)
      const pages = await walk({ event_type })
      t.strictSame(
        pages.map(({ body }) => body.length),
        sizes,
      )
      t.equal(new Set(pages.flatMap(idsIn)).size, size)
    })
  }

  t.test('links to no next page when a page ends exactly at the end of the list', async (t) => {
    const { length } = events.filter(({ category }) => category === 'simulation')
    const exactly = await list({ category: 'simulation', limit: String(length) })
    t.equal(exactly.body.length, length)
    t.equal(exactly.headers.get('link'), null)
    const nothing = await list({ category: 'nothing' })
    t.strictSame([nothing.body, nothing.headers.get('link')], [[], null])
  })

  t.test('continues at the same position after new events arrive', async (t) => {
    const first = await list({ category: 'simulation', limit: '10' })
    const both = idsIn(await list({ category: 'simulation', limit: '20' }))
    const event = { organization_id, _id: createId(), category: 'simulation', event_type: 'new' }
    await insertEvents(db, [event])
    const headers = { authorization: `Bearer ${token}` }
    const second = await request(nextOf(first) ?? '', { headers })
    t.strictSame([...idsIn(first), ...idsIn(second)], both)
    await tamper(db, (trx) => trx.deleteFrom('audit_events').where('_id', '=', event._id).execute())
  })

  t.test('treats an empty cursor as absent', async (t) => {
    t.strictSame(idsIn(await list({ cursor: '' })), idsIn(await list()))
  })

  t.test('refuses an invalid cursor', async (t) => {
    const encoded = (text: string) => Buffer.from(text).toString('base64url')
    const time = '2026-01-01T00:00:00.000Z'
    const wrong = [
      'garbage',
      '%%%',
      '🗝️',
      encoded('garbage'),
      encoded(time),
      encoded(`${time} no-uuid`),
      encoded(`yesterday ${createId()}`),
      encoded(`2026-02-30T00:00:00.000Z ${createId()}`),
      encoded(`+010000-01-01T00:00:00.000Z ${createId()}`),
      encoded(`+275760-09-13T00:00:00.000Z ${createId()}`),
      encoded(`-000001-01-01T00:00:00.000Z ${createId()}`),
      encoded(`0000-01-01T00:00:00.000Z ${createId()}`),
      encoded(`${time} ${createId()}\0`),
      'x'.repeat(201),
    ]
    for (const cursor of wrong) {
      const answer = await list({ cursor })
      t.equal(answer.status, 422, cursor)
      t.match(answer.body.detail, [{ loc: ['query', 'cursor'], msg: /\S/, type: /\S/ }])
    }
  })
})
