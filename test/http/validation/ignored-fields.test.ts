import { randomUUID } from 'node:crypto'
import { refused } from '../../helpers/faults.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { exampleCall, operations } from '../../helpers/walk.js'

const { call, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const params = { organization_id }
const strict = { prefer: 'return=minimal, handling=strict' }

interface Sent {
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
}
const branding = (sent: Sent) => call('updateBranding', { token, params, ...sent })
const ignored = ({ headers }: { headers: Headers }) => headers.get('x-ignored-fields')

t.test('X-Ignored-Fields', async (t) => {
  t.test('lists the names that the contract does not declare, and suggests a name', async (t) => {
    const query = { verbose: '1' }
    const body = { compny_name: 'Acme', departments: [{ name: 'x', colour: 'blue' }] }
    const answer = await branding({ query, body })
    t.equal(ignored(answer), '"query.verbose", "body.compny_name";near="company_name"')
    const events = await call('listAuditEvents', { token, params, query: { stauts: 'success' } })
    t.equal(ignored(events), '"query.stauts";near="status"')
  })

  t.test('is on the answer that refuses the misspelt request', async (t) => {
    const body = { scenario_nam: 'hr_workforce', name: 'Tuesday' }
    const answer = await call('createSession', { token, body })
    refused(t, answer, ['body scenario_name', 'missing', 'Field required'])
    t.equal(ignored(answer), '"body.scenario_nam";near="scenario_name"')
  })

  t.test('is missing when nothing is ignored, also for any name in a free object', async (t) => {
    t.equal(ignored(await branding({ body: { company_name: 'Acme' } })), null)
    const metadata = { anything: { at: 'all' } }
    t.equal(ignored(await call('createExperiment', { token, body: { metadata } })), null)
  })

  t.test('is short, printable and quoted for any request', async (t) => {
    const long = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`unknown-${i}`, i]))
    const names = ignored(await branding({ body: long }))?.split(', ') ?? []
    t.strictSame([names.length, names.at(-1)], [20, '"body.unknown-19"'])
    const odd = await branding({ body: { 'é"\\\r\n\u0000': 1, ['x'.repeat(60_000)]: 2 } })
    t.equal(ignored(odd)?.slice(0, 36), '"body.%C3%A9\\"\\\\%0D%0A%00", "body.xx')
    t.ok((ignored(odd)?.length ?? 0) < 300)
    const longNames = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => ['名'.repeat(200) + i, i]),
    )
    t.ok((ignored(await branding({ body: longNames }))?.length ?? 0) <= 2_048)
    t.equal(ignored(await branding({ body: { '%C3': 1 } })), '"body.%25C3"')
  })

  t.test('skips a list that is too long', async (t) => {
    const participants = Array.from({ length: 101 }, () => ({ unknown: 1 }))
    const answer = await call('createSession', { token, body: { participants } })
    t.match([answer.status, ignored(answer)], [422, null])
  })

  t.test('reports an access level without a role, also for one row of many', async (t) => {
    const person = () => {
      return { first_name: 'Ada', last_name: 'Byron', email: `${randomUUID()}@example.com` }
    }
    const body = { ...person(), access_level: 'boss', rôle: 'hr' }
    const one = await call('inviteMember', { token, params, body })
    t.equal(ignored(one), '"body.r%C3%B4le", "body.access_level";used="employee"')
    const invitations = [person(), { ...person(), access_level: 'boss' }, { ...person(), lvl: 1 }]
    const many = await call('inviteMembers', { token, params, body: { invitations } })
    t.equal(
      ignored(many),
      '"body.invitations.2.lvl", "body.invitations.1.access_level";used="employee"',
    )
    const known = await call('inviteMember', {
      token,
      params,
      body: { ...person(), access_level: ' HR ' },
    })
    t.equal(ignored(known), null)
  })
})

t.test('Prefer: handling=strict', async (t) => {
  t.test('refuses every name that the contract does not declare', async (t) => {
    const message = 'Extra inputs are not permitted'
    const body = { company_nam: 'Strict', departments: [], other: 1 }
    const answer = await branding({ query: { verbose: '1' }, body, headers: strict })
    refused(
      t,
      answer,
      ['query verbose', 'extra_forbidden', message],
      ['body company_nam', 'extra_forbidden', `${message}: did you mean company_name?`],
      ['body other', 'extra_forbidden', message],
    )
    t.equal(ignored(answer), null)
    const { body: now } = await call('getBranding', { token, params })
    t.not(now.company_name, 'Strict')
  })

  t.test('accepts what the contract declares', async (t) => {
    const answer = await branding({ body: { company_name: 'Strict' }, headers: strict })
    t.strictSame([answer.status, ignored(answer)], [200, null])
  })

  t.test('does not apply with another preference', async (t) => {
    for (const prefer of ['handling=lenient', 'handling=strictly', 'x-handling=strict', '']) {
      const answer = await branding({ body: { other: 1 }, headers: { prefer } })
      t.strictSame([answer.status, ignored(answer)], [200, '"body.other"'])
    }
  })

  t.test('works for every operation', async (t) => {
    for (const operation of operations) {
      const { operationId, roles } = operation
      if (roles && !roles.includes('admin')) continue
      const example = exampleCall(operation, ({ name }) =>
        name === 'organization_id' ? organization_id : randomUUID(),
      )
      const answer = await call(operationId, {
        ...{ ...example, ...(roles && { token }) },
        query: { unknown: '1' },
        headers: strict,
      })
      const found = answer.status === 422 && answer.body.detail[0].loc.join('.')
      t.equal(found, 'query.unknown', operationId)
    }
  })

  t.test('is checked after the token', async (t) => {
    const query = { verbose: '1' }
    t.equal((await call('listUsers', { query, headers: strict })).status, 401)
  })
})
