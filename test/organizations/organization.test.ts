import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'

const { call, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }

t.test('updateBranding', async (t) => {
  t.test('sets every field and answers with the whole branding', async (t) => {
    const body = {
      company_name: 'Acme Works',
      logo_url: 'https://acme.example/logo.svg',
      primary_color: '#0B5FFF',
      sidebar_color: '#abc',
      departments: ['People', 'Logistics'],
      welcome_message: 'Good to have you here.',
    }
    const answer = await call('updateBranding', { token, params, body })
    t.equal(answer.status, 200)
    t.match(answer.body, { ...body, organization_id })
  })

  t.test('keeps what the request leaves out or sends as null', async (t) => {
    const { token, organization_id } = await registerAdmin()
    const params = { organization_id }
    const before = { company_name: 'Acme Works', departments: ['People', 'Logistics'] }
    await call('updateBranding', { token, params, body: before })
    const body = { primary_color: '#123456', company_name: null, departments: null }
    const answer = await call('updateBranding', { token, params, body })
    t.match(answer.body, { ...before, primary_color: '#123456' })
  })

  t.test('keeps the first of departments that look the same', async (t) => {
    const { token, organization_id } = await registerAdmin()
    const departments = ['Ku\u0308che', 'Küche', ' KÜCHE ', 'People']
    const params = { organization_id }
    const answer = await call('updateBranding', { token, params, body: { departments } })
    t.strictSame(answer.body.departments, ['Ku\u0308che', 'People'])
  })

  t.test('clears a text with "" and the departments with []', async (t) => {
    const { token, organization_id } = await registerAdmin()
    const params = { organization_id }
    const given = { welcome_message: 'Hello', sidebar_color: '#fff', departments: ['People'] }
    await call('updateBranding', { token, params, body: given })
    const body = { welcome_message: '', logo_url: '', sidebar_color: '', departments: [] }
    const answer = await call('updateBranding', { token, params, body })
    t.match(answer.body, {
      welcome_message: null,
      logo_url: null,
      sidebar_color: null,
      departments: [],
    })
  })

  t.test('records one audit event with the changes, and none without changes', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const params = { organization_id }
    await call('updateBranding', { token, params, body: { primary_color: '#123456' } })
    const before = await auditEvents(call, admin)
    await call('updateBranding', { token, params, body: { primary_color: '#000' } })
    await call('updateBranding', { token, params, body: { primary_color: '#000' } })
    const after = await auditEvents(call, admin)
    t.equal(after.length, before.length + 1)
    t.match(after[0], {
      category: 'organization',
      event_type: 'branding_updated',
      metadata: { changes: { primary_color: { from: '#123456', to: '#000' } } },
    })
  })
})

t.test('getOrganization', async (t) => {
  for (const role of ['super_admin', 'admin', 'hr', 'executive', 'employee', 'bot'] as const) {
    t.test(`shows the role ${role} the organization with its branding`, async (t) => {
      const { token } = await addMember(organization_id, role)
      const { status, body } = await call('getOrganization', { token, params })
      t.equal(status, 200)
      const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
      t.match(body, { _id: organization_id, name: 'Acme', created_at: timestamp })
      t.strictSame(body.branding, (await call('getBranding', { token, params })).body)
    })
  }

  t.test('shows another organization and its branding only to a super_admin', async (t) => {
    const other = await registerAdmin({ organization_name: 'Elsewhere' })
    const operator = await addMember(other.organization_id, 'super_admin')
    for (const operation of ['getOrganization', 'getBranding'] as const) {
      const refused = await call(operation, { token: other.token, params })
      t.strictSame(refused.body, {
        detail: 'Organization not found',
        code: 'organization_not_found',
      })
      t.equal((await call(operation, { token: operator.token, params })).status, 200)
    }
  })
})

t.test('getBranding', async (t) => {
  t.test('answers like the last update', async (t) => {
    const body = { welcome_message: 'Good day.', departments: ['People'] }
    const updated = await call('updateBranding', { token, params, body })
    const { status, body: branding } = await call('getBranding', { token, params })
    t.equal(status, 200)
    t.strictSame(branding, updated.body)
    t.match(branding, { organization_id, ...body })
  })
})

t.test('createOrganization', async (t) => {
  const operator = await addMember(organization_id, 'super_admin')
  const create = (body: unknown) => call('createOrganization', { token: operator.token, body })

  t.test('makes an organization whose first admin is then invited', async (t) => {
    const { status, body } = await create({ name: '  Söhne & Co ' })
    t.equal(status, 201)
    t.match(body, { name: 'Söhne & Co', branding: { company_name: 'Söhne & Co' } })
    const params = { organization_id: body._id }
    const person = {
      first_name: 'Tom',
      last_name: 'Herrera',
      email: `tom-${body._id}@acme.example`,
    }
    const invited = await call('inviteMember', {
      token: operator.token,
      params,
      body: { ...person, access_level: 'admin' },
    })
    const { email } = person
    const { temporary_password: password } = invited.body
    const { body: grant } = await call('login', { body: { email, password } })
    t.match(grant, { organization_id: body._id, role: 'admin' })
    const { body: events } = await call('listAuditEvents', { token: operator.token, params })
    t.match(events.at(-1), {
      event_type: 'organization_created',
      actor_id: operator.user_id,
      metadata: { cross_tenant: true },
    })
  })

  t.test('refuses a name without letters', async (t) => {
    for (const body of [{}, { name: ' ' }, { name: null }, { name: 'x'.repeat(201) }]) {
      t.match(await create(body), { status: 422, body: { detail: [{ loc: ['body', 'name'] }] } })
    }
  })
})

t.test('updateOrganization', async (t) => {
  const update = (body: unknown, as = { token }) =>
    call('updateOrganization', { token: as.token, params, body })

  t.test('changes the name, trimmed, and records an audit event', async (t) => {
    const { status, body } = await update({ name: '  Söhne & Co ' })
    t.equal(status, 200)
    t.match(body, { _id: organization_id, name: 'Söhne & Co', branding: { organization_id } })
    t.ok(body.updated_at > body.created_at)
    t.strictSame((await call('getOrganization', { token, params })).body, body)
    const [event] = await auditEvents(call, admin)
    t.match(event, {
      category: 'organization',
      event_type: 'organization_updated',
      actor_id: admin.user_id,
      metadata: { changes: { name: { from: 'Acme', to: 'Söhne & Co' } } },
    })
  })

  t.test('changes and records nothing when the name stays the same', async (t) => {
    const before = await auditEvents(call, admin)
    const { body: organization } = await call('getOrganization', { token, params })
    for (const body of [{}, { name: null }, { name: ' Söhne & Co' }]) {
      t.strictSame((await update(body)).body, organization)
    }
    t.equal((await auditEvents(call, admin)).length, before.length)
  })

  t.test('refuses an invalid name', async (t) => {
    for (const name of ['', ' ', 7, 'x'.repeat(201)]) {
      const { status, body } = await update({ name })
      t.equal(status, 422)
      for (const { loc } of body.detail) t.strictSame(loc, ['body', 'name'])
    }
  })

  t.test('is recorded as cross-tenant for a super_admin of another organization', async (t) => {
    const other = await registerAdmin()
    const operator = await addMember(other.organization_id, 'super_admin')
    t.equal((await update({ name: 'Theirs' }, operator)).body.name, 'Theirs')
    const [event] = await auditEvents(call, admin)
    t.match(event, { actor_id: operator.user_id, metadata: { cross_tenant: true } })
  })
})
