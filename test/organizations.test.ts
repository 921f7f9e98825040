import t from 'tap'
import { auditEvents, startService } from './helpers/service.js'

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

  t.test('keeps what the request leaves out or gives as null', async (t) => {
    const body = { primary_color: '#123456', company_name: null, departments: null }
    const answer = await call('updateBranding', { token, params, body })
    t.match(answer.body, {
      primary_color: '#123456',
      company_name: 'Acme Works',
      departments: ['People', 'Logistics'],
    })
  })

  t.test('clears a text with "" and the departments with []', async (t) => {
    const body = { welcome_message: '', logo_url: '', sidebar_color: '', departments: [] }
    const answer = await call('updateBranding', { token, params, body })
    t.match(answer.body, {
      welcome_message: null,
      logo_url: null,
      sidebar_color: null,
      departments: [],
    })
  })

  t.test('asks who you are before it looks at the body', async (t) => {
    t.equal((await call('updateBranding', { params, body: { departments: 7 } })).status, 401)
  })

  for (const role of ['hr', 'executive', 'employee', 'bot'] as const) {
    t.test(`refuses the role ${role}`, async (t) => {
      const member = await addMember(organization_id, role)
      const answer = await call('updateBranding', { token: member.token, params, body: {} })
      t.equal(answer.status, 403)
    })
  }

  t.test('leaves one audit event with what changed, and none when nothing did', async (t) => {
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
