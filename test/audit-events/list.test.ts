import { sql } from 'kysely'
import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { insertEvents } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'

const { call, db, registerAdmin, addOrganization, addMember } = await startService(t)

const list = ({ token, organization_id }: Member, query: Record<string, string> = {}) =>
  call('listAuditEvents', { token, params: { organization_id }, query })
const idsOf = (events: Schema<'AuditEvent'>[]) => events.map(({ _id }) => _id ?? '')

const minute = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString()

type Event = Partial<Schema<'AuditEvent'>>

async function insert({ organization_id }: Member, events: Event[]): Promise<string[]> {
  const rows = await insertEvents(
    db,
    events.map((event) => ({ organization_id, ...event })),
  )
  return rows.map(({ _id }) => _id)
}

t.test('listAuditEvents', async (t) => {
  t.test('returns events with all their fields', async (t) => {
    const admin = await addOrganization()
    const { organization_id } = admin
    const event = {
      organization_id,
      _id: createId(),
      category: 'simulation',
      event_type: 'message_sent',
      status: 'warning',
      actor_type: 'bot',
      actor_id: 'actor-1',
      case_id: 'case-1',
      request_id: 'request-1',
      conversation_id: 'conversation-1',
      channel_id: 'channel-1',
      thread_id: 'thread-1',
    }
    const metadata = { text: 'ü 🗝️', deep: { list: [1, null, true] } }
    const created_at = '2026-03-01T12:34:56.789Z'
    await insertEvents(db, [{ ...event, metadata, created_at }])
    const { status, headers, body } = await list(admin)
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/json/)
    t.strictSame(body, [{ ...event, metadata, created_at, updated_at: created_at }])
  })

  t.test('fills in the fields that an event leaves out', async (t) => {
    const admin = await addOrganization()
    const [_id] = await insert(admin, [{}])
    const { body } = await list(admin)
    const { created_at } = body[0]
    t.strictSame(body, [
      {
        _id,
        organization_id: admin.organization_id,
        category: 'simulation',
        event_type: 'message_sent',
        status: 'info',
        actor_type: null,
        actor_id: null,
        case_id: null,
        request_id: null,
        conversation_id: null,
        channel_id: null,
        thread_id: null,
        metadata: {},
        created_at,
        updated_at: created_at,
      },
    ])
  })

  t.test('shows what happened, who did it and in which request', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const request = { token, params: { organization_id }, headers: { 'x-request-id': 'req.1' } }
    await call('updateBranding', { ...request, body: { company_name: 'Acme Works' } })
    const [event] = (await list(admin)).body
    const { user_id: actor_id } = admin
    t.match(event, { category: 'organization', event_type: 'branding_updated', status: 'success' })
    t.match(event, { organization_id, actor_type: 'user', actor_id, request_id: 'req.1' })
    t.match(event.metadata.changes, { company_name: { to: 'Acme Works' } })
  })

  t.test('returns the newest first, in a stable order for events of the same time', async (t) => {
    const admin = await addOrganization()
    const [early, late] = [{ created_at: minute(1) }, { created_at: minute(2) }]
    const ids = await insert(admin, [late, early, late, early, late])
    const [a = '', b = '', c = '', d = '', e = ''] = ids
    t.strictSame(idsOf((await list(admin)).body), [e, c, a, d, b])
  })

  t.test('filters by category, event_type and status, separately and together', async (t) => {
    const admin = await addOrganization()
    const values = {
      category: ['simulation', 'auth'],
      event_type: ['message_sent', 'user_logged_in'],
      status: ['info', 'failure'],
    }
    const events = values.category.flatMap((category) =>
      values.event_type.flatMap((event_type) =>
        values.status.map((status) => ({ category, event_type, status })),
      ),
    )
    await insert(admin, events)
    const given = <Name extends keyof typeof values>(name: Name) => ['', ...values[name]]
    for (const category of given('category')) {
      for (const event_type of given('event_type')) {
        for (const status of given('status')) {
          const wanted = { category, event_type, status }
          const filters = Object.fromEntries(Object.entries(wanted).filter(([, text]) => text))
          const count = events.length / 2 ** Object.keys(filters).length
          for (const query of [filters, wanted]) {
            const { body } = await list(admin, query)
            t.equal(body.length, count, JSON.stringify(query))
            t.ok(
              body.every((event: object) =>
                Object.entries(filters).every(([name, text]) => Reflect.get(event, name) === text),
              ),
            )
          }
        }
      }
    }
    const nothing = { category: 'null', event_type: 'null', status: 'null' }
    t.equal((await list(admin, nothing)).body.length, events.length)
    for (const text of ['AUTH', 'aut', '%', 'NULL', "' or true --", 'ß']) {
      t.strictSame((await list(admin, { category: text })).body, [], text)
    }
  })

  t.test('returns only the events of the organization', async (t) => {
    const [admin, other] = [await addOrganization(), await addOrganization()]
    await insert(other, [{}, {}])
    const ids = await insert(admin, [{}])
    t.strictSame(idsOf((await list(admin)).body), ids)
    const operator = await addMember(other.organization_id, 'super_admin')
    const { organization_id } = admin
    t.strictSame(idsOf((await list({ ...operator, organization_id })).body), ids)
  })

  const references = [
    'actor_id',
    'request_id',
    'case_id',
    'conversation_id',
    'channel_id',
    'thread_id',
  ] as const
  for (const reference of references) {
    t.test(`filters by ${reference}, separately and with other filters`, async (t) => {
      const admin = await addOrganization()
      const [one, both] = await insert(admin, [
        { [reference]: 'this' },
        { [reference]: 'this', status: 'warning' },
        { [reference]: 'other', status: 'warning' },
        { status: 'warning' },
      ])
      const found = async (query: Record<string, string>) =>
        idsOf((await list(admin, query)).body).sort()
      t.strictSame(await found({ [reference]: 'this' }), [one, both])
      t.strictSame(await found({ [reference]: 'this', status: 'warning' }), [both])
      t.strictSame(await found({ [reference]: 'nobody' }), [])
      t.equal((await found({ [reference]: '' })).length, 4, 'an empty filter counts as absent')
    })
  }

  t.test('includes since and excludes until', async (t) => {
    const admin = await addOrganization()
    const ids = await insert(
      admin,
      [1, 2, 3, 4].map((at) => ({ created_at: minute(at) })),
    )
    const found = async (query: Record<string, string>) => idsOf((await list(admin, query)).body)
    t.strictSame(await found({ since: minute(2) }), [ids[3], ids[2], ids[1]])
    t.strictSame(await found({ until: minute(2) }), [ids[0]])
    t.strictSame(await found({ since: minute(2), until: minute(4) }), [ids[2], ids[1]])
    t.strictSame(await found({ since: '2026-01-01T01:03:00+01:00' }), [ids[3], ids[2]])
    t.strictSame(await found({ since: minute(3), until: minute(3) }), [])
    const page = await list(admin, { since: minute(2), limit: '1' })
    t.match(page.headers.get('link'), /since=/, 'the next page as well')
    for (const [query, name] of [
      [{ since: '2026-01-01' }, 'since'],
      [{ until: 'tomorrow' }, 'until'],
      [{ since: minute(2), until: minute(1) }, 'until'],
    ] as const) {
      t.match(await list(admin, query), {
        status: 422,
        body: { detail: [{ loc: ['query', name] }] },
      })
    }
  })

  t.test('records nothing', async (t) => {
    const admin = await registerAdmin()
    const operator = await addMember((await registerAdmin()).organization_id, 'super_admin')
    const { organization_id } = admin
    const count = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from audit_events`.execute(db)
      return rows[0]?.n
    }
    const before = await count()
    const first = await list(admin)
    t.strictSame((await list(admin)).body, first.body)
    await list({ ...operator, organization_id }, { limit: '1' })
    await list(await addMember(organization_id, 'hr'))
    await list(admin, { limit: '0' })
    t.equal(await count(), before)
  })

  t.test('checks the organization, then the role, before it reads the query', async (t) => {
    const { organization_id } = await registerAdmin()
    const member = await addMember(organization_id, 'employee')
    const refused = await list(member, { limit: '0' })
    t.match(refused, { status: 403, body: { code: 'insufficient_role' } })
    const expected = { detail: 'Organization not found', code: 'organization_not_found' }
    const answer = await list({ ...member, organization_id: createId() }, { limit: '0' })
    t.strictSame([answer.status, answer.body], [404, expected])
  })
})
