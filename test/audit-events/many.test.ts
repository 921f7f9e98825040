import type { FastifyRequest } from 'fastify'
import {
  type AuditEvent,
  recordAuditEvents,
  recordBatchSize,
} from '../../src/audit-events/record.js'
import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { db, call, registerAdmin } = await startService(t)

const eventsOf = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    category: 'simulation',
    event_type: 'message_posted',
    metadata: { number, text: 'ü "quoted" \\ \u2028' },
  }))

/** An event without the fields that differ between two requests. */
const withoutOwnFields = (event: Partial<Schema<'AuditEvent'>> = {}) => ({
  ...event,
  _id: '',
  request_id: '',
  created_at: '',
  updated_at: '',
})

const record = ({ token, organization_id }: Member, count: number) =>
  call('recordAuditEvents', {
    token,
    params: { organization_id },
    body: { events: eventsOf(count) },
  })

t.test('Many events', async (t) => {
  t.test('are stored and returned like few events, in the order of the request', async (t) => {
    const admin = await registerAdmin()
    const count = 2 * recordBatchSize + 5
    const { status, body } = await record(admin, count)
    t.equal(status, 201)
    const listed = await auditEvents(call, admin, { category: 'simulation' })
    const byId = new Map(listed.map((event) => [event._id, event]))
    const numbers = body.event_ids.map((id: string) => byId.get(id)?.metadata?.number)
    t.strictSame(numbers, [...eventsOf(count).keys()])
    const [one] = (await record(admin, 1)).body.event_ids
    const [newest] = await auditEvents(call, admin, { category: 'simulation' })
    t.equal(newest?._id, one)
    t.strictSame(withoutOwnFields(byId.get(body.event_ids[0])), withoutOwnFields(newest))
  })

  t.test('are prepared and written in parts', async (t) => {
    const { organization_id } = await registerAdmin()
    const parts: number[] = []
    let prepared = 0
    function* events(): Generator<AuditEvent> {
      for (const event of eventsOf(3 * recordBatchSize)) {
        prepared++
        yield { organization_id, ...event }
      }
    }
    const counting = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        parts.push(prepared)
        prepared = 0
        return result
      },
    })
    const request: Pick<FastifyRequest, 'id' | 'caller'> = { id: 'many', caller: null }
    await counting.transaction().execute((trx) => recordAuditEvents(trx, request, events()))
    t.ok(Math.max(...parts) <= recordBatchSize + 1, `parts of ${parts.join()}`)
  })
})
