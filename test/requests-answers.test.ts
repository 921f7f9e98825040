import { randomUUID } from 'node:crypto'
import { t } from './helpers/file.js'
import { type Answer, auditEvents, startService } from './helpers/service.js'

const { call, request, registerAdmin, addMember } = await startService(t)
const browsed = await startService(t, { CORS_ORIGINS: 'https://app.example' })
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }

t.test('a request id', async (t) => {
  const rename = (id: string, company_name: string) => {
    const headers = { 'x-request-id': id }
    return call('updateBranding', { token, params, headers, body: { company_name } })
  }
  const echoed = ({ headers }: Answer) => headers.get('x-request-id')

  t.test('is taken over when it is harmless, echoed, and kept in the audit event', async (t) => {
    for (const id of ['a', 'A.b_c-9', 'x'.repeat(128)]) {
      t.equal(echoed(await rename(id, `Named by ${id}`)), id)
      const [event] = await auditEvents(call, admin)
      t.match(event, { event_type: 'branding_updated', request_id: id })
    }
  })

  t.test('is replaced when it is anything else', async (t) => {
    for (const id of ['', 'x'.repeat(129), 'a b', 'a/b', 'é', '{"a":1}', 'a,b']) {
      const answer = await rename(id, `Not named by ${id}`)
      t.match(echoed(answer), /^[A-Za-z0-9._-]{1,128}$/)
      t.not(echoed(answer), id)
      const [event] = await auditEvents(call, admin)
      t.equal(event?.request_id, echoed(answer))
    }
  })

  t.test('is new for every request, and there whatever the answer is', async (t) => {
    const ids = new Set<string | null>()
    for (const path of ['/api/v1/users', '/nowhere', '/health', '/api/v1/auth/login', '/%']) {
      for (const method of ['GET', 'POST']) ids.add(echoed(await request(path, { method })))
    }
    t.equal(ids.size, 10)
    t.notOk(ids.has(null))
  })
})

t.test('every time in every answer has one format', async (t) => {
  const member = await addMember(organization_id, 'hr')
  const invitation = { first_name: 'A', last_name: 'B', email: `${randomUUID()}@example.com` }
  const invited = await call('inviteMember', { token, params, body: invitation })
  const setup = await call('applyQuickSetup', { token, body: { include_template_payload: true } })
  const experiment = { params: { experiment_id: setup.body.experiment_id } }
  const body = { start_at: '2026-12-01t09:00:00.5+01:00', end_at: '2026-12-02T09:00:00Z' }
  const updated = await call('updateExperiment', { token, ...experiment, body })
  t.match(updated.body, {
    start_at: '2026-12-01T08:00:00.500Z',
    end_at: '2026-12-02T09:00:00.000Z',
  })
  const answers = [
    invited,
    setup,
    updated,
    await call('updateBranding', { token, params, body: {} }),
    await call('listUsers', { token }),
    await call('listUsers', { token: member.token }),
    await call('listChannelTemplates', { token }),
    await call('listAuditEvents', { token, params }),
  ]
  for (const { status, body } of answers) {
    t.equal(status < 300, true)
    const times = JSON.stringify(body).match(/"\w+_(at|seen)":"[^"]*"/g) ?? []
    t.ok(times.length > 0)
    t.strictSame(
      times.filter((text) => !/:"\d{4}(-\d\d){2}T(\d\d:){2}\d\d\.\d{3}Z"$/.test(text)),
      [],
    )
  }
  const listed = answers[4]?.body.find(({ _id }: { _id: string }) => _id === invited.body.user._id)
  t.equal(listed.created_at, invited.body.user.created_at)
})

t.test('a browser asks first, and only an origin of CORS_ORIGINS is let in', async (t) => {
  const ask = (path: string, origin: string) =>
    browsed.request(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT' },
    })
  const path = `/api/v1/organizations/${organization_id}/branding`
  const allowed = await ask(path, 'https://app.example')
  t.equal(allowed.status, 204)
  t.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example')
  t.match(allowed.headers.get('access-control-allow-methods'), /PUT/)
  const refused = await ask(path, 'https://elsewhere.example')
  t.notOk(refused.headers.has('access-control-allow-origin'))
  const { headers } = await browsed.request(path, { headers: { origin: 'https://app.example' } })
  for (const name of ['etag', 'link', 'content-disposition', 'x-request-id']) {
    t.match(headers.get('access-control-expose-headers'), new RegExp(`\\b${name}\\b`))
  }
})
