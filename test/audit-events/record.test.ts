import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { call, registerAdmin, addMember } = await startService(t)

const record = ({ token, organization_id }: Member, events: unknown, headers = {}) =>
  call('recordAuditEvents', { token, params: { organization_id }, body: { events }, headers })
const observed = { category: 'simulation', event_type: 'message_posted' }

async function startSimulation() {
  const admin = await registerAdmin()
  return { admin, bot: await addMember(admin.organization_id, 'bot') }
}

t.test('recordAuditEvents', async (t) => {
  t.test('keeps what a bot observed, and adds who recorded it and when', async (t) => {
    const { admin, bot } = await startSimulation()
    const references = {
      case_id: 'wave-2',
      conversation_id: 'session-1',
      channel_id: 'general',
      thread_id: 'message-17',
    }
    const event = {
      ...observed,
      ...references,
      status: 'warning',
      actor_id: 'character-3',
      metadata: { words: 24, text: 'ü 🗝️', deep: { list: [1, null] } },
      occurred_at: '2026-11-21T09:09:58.25+01:00',
    }
    const { status, body } = await record(bot, [event], { 'x-request-id': 'runtime.1' })
    t.equal(status, 201)
    const [found] = await auditEvents(call, admin, { category: 'simulation' })
    const { created_at = '' } = found ?? {}
    t.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    t.strictSame(found, {
      _id: body.event_ids[0],
      organization_id: admin.organization_id,
      ...observed,
      status: 'warning',
      actor_type: null,
      actor_id: 'character-3',
      ...references,
      request_id: 'runtime.1',
      metadata: {
        ...event.metadata,
        recorded_by: bot.user_id,
        occurred_at: '2026-11-21T08:09:58.250Z',
      },
      created_at,
      updated_at: created_at,
    })
  })

  t.test('takes the caller as the actor unless the event names another one', async (t) => {
    const { admin, bot } = await startSimulation()
    await record(bot, [observed])
    await record(admin, [{ ...observed, actor_id: null, status: null, metadata: null }])
    await record(admin, [{ ...observed, actor_id: admin.user_id }])
    const [named, byAdmin, byBot] = await auditEvents(call, admin, { category: 'simulation' })
    t.match(byBot, { status: 'info', actor_type: 'bot', actor_id: bot.user_id })
    t.match(byAdmin, { status: 'info', actor_type: 'user', actor_id: admin.user_id })
    t.match(named, { actor_type: 'user', actor_id: admin.user_id })
    t.strictSame(byAdmin?.metadata, { recorded_by: admin.user_id })
  })

  t.test('returns the ids in the order of the request', async (t) => {
    const { admin, bot } = await startSimulation()
    const events = Array.from({ length: 500 }, (_, n) => ({ ...observed, metadata: { n } }))
    const { body } = await record(bot, events)
    const found = await auditEvents(call, admin, { category: 'simulation' })
    const byId = new Map(found.map(({ _id, metadata }) => [_id, metadata?.n]))
    t.strictSame(
      body.event_ids.map((_id: string) => byId.get(_id)),
      events.map(({ metadata }) => metadata.n),
    )
  })

  t.test("accepts a client's own categories, and refuses those of the service", async (t) => {
    const { admin, bot } = await startSimulation()
    const inCategory = (category: string) => ({ ...observed, category })
    t.equal((await record(bot, [inCategory('drill.run-2')])).status, 201)
    const events = [inCategory('auth'), observed, inCategory('security'), inCategory('audit')]
    const { status, body } = await record(bot, events)
    t.equal(status, 422)
    t.strictSame(
      body.detail.map(({ loc }: Schema<'ValidationErrorItem'>) => loc),
      ['0', '2', '3'].map((i) => ['body', 'events', i, 'category']),
    )
    t.strictSame(
      await auditEvents(call, admin, { category: 'simulation' }),
      [],
      'all or none are stored',
    )
  })

  t.test('refuses the metadata fields that only the service may set', async (t) => {
    const { bot } = await startSimulation()
    const metadata = { recorded_by: createId(), occurred_at: 'yesterday', cross_tenant: true, a: 1 }
    const { status, body } = await record(bot, [{ ...observed, metadata }])
    t.equal(status, 422)
    t.strictSame(
      body.detail.map(({ loc }: Schema<'ValidationErrorItem'>) => loc.slice(3)),
      ['recorded_by', 'occurred_at', 'cross_tenant'].map((name) => ['metadata', name]),
    )
  })

  t.test('takes 4 KiB of metadata', async (t) => {
    const { bot } = await startSimulation()
    t.equal((await record(bot, [{ ...observed, metadata: { a: 'x'.repeat(4_088) } }])).status, 201)
  })

  const wrong: Record<string, [unknown, string[]]> = {
    'no events': [[], ['events']],
    'too many events': [Array.from({ length: 501 }, () => observed), ['events']],
    'an event that is not an object': [[7], ['events', '0']],
    'no category': [
      [observed, { event_type: 'a' }],
      ['events', '1', 'category'],
    ],
    'a category of several words': [
      [{ ...observed, category: 'A b' }],
      ['events', '0', 'category'],
    ],
    'an empty type': [[{ ...observed, event_type: '' }], ['events', '0', 'event_type']],
    'an empty reference': [[{ ...observed, case_id: '' }], ['events', '0', 'case_id']],
    'an invalid time': [[{ ...observed, occurred_at: 'now' }], ['events', '0', 'occurred_at']],
    'metadata that is a list': [[{ ...observed, metadata: [] }], ['events', '0', 'metadata']],
    'more than 4 KiB of metadata': [
      [observed, { ...observed, metadata: { a: 'x'.repeat(4_089) } }],
      ['events', '1', 'metadata'],
    ],
    'text that cannot be stored': [
      [{ ...observed, metadata: { a: '\0' } }],
      ['events', '0', 'metadata', 'a'],
    ],
  }
  for (const [what, [events, loc]] of Object.entries(wrong)) {
    t.test(`refuses ${what}, and reports where it is`, async (t) => {
      const { bot } = await startSimulation()
      const { status, body } = await record(bot, events)
      t.equal(status, 422)
      t.strictSame(body.detail[0].loc, ['body', ...loc])
    })
  }
})

t.test('getAuditCatalogue', async (t) => {
  t.test('describes each event type of the service', async (t) => {
    const { admin, bot } = await startSimulation()
    const { body } = await call('getAuditCatalogue', { token: admin.token })
    t.strictSame((await call('getAuditCatalogue', { token: bot.token })).body, body)
    const types: Schema<'AuditEventType'>[] = body.categories.flatMap(
      ({ event_types }: Schema<'AuditCategory'>) => event_types,
    )
    t.match(
      types.find(({ event_type }) => event_type === 'branding_updated'),
      { operations: ['updateBranding'], description: /branding .* was changed/ },
    )
    t.match(
      types.find(({ event_type }) => event_type === 'audit_pruned'),
      { operations: [] },
    )
  })

  t.test('contains every recorded event type', async (t) => {
    const { admin } = await startSimulation()
    await call('applyQuickSetup', { token: admin.token, body: {} })
    const { body } = await call('getAuditCatalogue', { token: admin.token })
    const known = body.categories.flatMap(({ category, event_types }: Schema<'AuditCategory'>) =>
      event_types.map(({ event_type }) => `${category} ${event_type}`),
    )
    for (const { category, event_type } of await auditEvents(call, admin)) {
      t.ok(known.includes(`${category} ${event_type}`), event_type)
    }
  })
})
