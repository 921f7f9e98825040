import { randomUUID } from 'node:crypto'
import { loadContract } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, request, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }
const { operations } = loadContract()
const paths = [...new Set(operations.map(({ path }) => path))]
const authorization = `Bearer ${token}`
const filled = (path: string) => path.replace(/\{\w+\}/, organization_id)
const json = { 'content-type': 'application/json' }

t.test('The service checks', async (t) => {
  t.test('the token first, also for an empty or a large body', async (t) => {
    const path = `/api/v1/organizations/${organization_id}/branding`
    for (const [name, body] of Object.entries({ empty: '', large: ' '.repeat(2 ** 21) })) {
      const answer = await request(path, { method: 'PUT', headers: json, body })
      t.equal(answer.status, 401, name)
      t.strictSame(answer.body, { detail: 'Not authenticated', code: 'not_authenticated' })
    }
  })

  t.test('the organization before the role, and the role before the body', async (t) => {
    const employee = await addMember(organization_id, 'employee')
    const foreign = { organization_id: randomUUID() }
    const rawBody = '{"'
    const headers = { 'content-type': 'text/plain' }
    const sent = { rawBody, headers }
    const as = (token: string, params: Record<string, string>, more: object) =>
      call('updateBranding', { token, params, ...more })
    t.equal((await as(employee.token, foreign, sent)).status, 404)
    t.equal((await as(token, foreign, sent)).status, 404)
    const { status, body } = await as(employee.token, params, sent)
    t.equal(status, 403)
    const required_roles = ['super_admin', 'admin']
    t.strictSame(body, {
      detail: 'Not enough permissions',
      code: 'insufficient_role',
      required_roles,
    })
    t.equal((await as(token, params, sent)).status, 415)
    t.equal((await as(token, params, { rawBody })).status, 422)
  })

  t.test('the body before the existence of a resource', async (t) => {
    const unknown = { token, params: { experiment_id: randomUUID() } }
    t.equal((await call('updateExperiment', { ...unknown, body: { name: 7 } })).status, 422)
    t.equal((await call('updateExperiment', { ...unknown, body: {} })).status, 404)
  })
})

t.test('A query parameter that an operation does not declare is ignored', async (t) => {
  for (const query of [{ organization_id: randomUUID() }, { organization_id: 'null' }]) {
    const answer = await call('getCurrentUser', { token, query })
    t.match(answer, { status: 200, body: { user: { organization_id } } })
    t.equal((await call('getBranding', { token, params, query })).status, 200)
  }
})

t.test('A body', async (t) => {
  const send = (contentType: string | null, text = '{"welcome_message":"Hi"}') =>
    request(`/api/v1/organizations/${organization_id}/branding`, {
      method: 'PUT',
      headers: { authorization, ...(contentType !== null && { 'content-type': contentType }) },
      // fetch cannot guess a type for bytes.
      body: Buffer.from(text),
    })

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ]) {
    t.test(`is read when it is declared as ${type}`, async (t) => {
      t.equal((await send(type)).status, 200)
      t.equal((await send(type, '{"welcome_message":7}')).status, 422)
    })
  }

  for (const type of [
    null,
    'text/plain',
    'text/json',
    'json',
    'application/vnd.api+json',
    'application/jsonlines',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]) {
    t.test(`is refused when it is declared as ${type ?? 'nothing'}`, async (t) => {
      const { status, body } = await send(type)
      t.equal(status, 415)
      t.strictSame(body, {
        detail: 'Content-Type must be application/json',
        code: 'unsupported_media_type',
      })
    })
  }
})

t.test('A path', async (t) => {
  for (const path of paths) {
    const here = operations.filter((operation) => operation.path === path)
    const methods = here.map(({ method }) => method)
    t.test(`${path} names its methods in the answer to any other method`, async (t) => {
      const hasNoHead = here.some(
        ({ method, auditEvents, streamsEvents }) =>
          method === 'GET' && (auditEvents.length > 0 || streamsEvents),
      )
      const head = hasNoHead ? [] : ['HEAD']
      const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', ...head] : method))
      const allow = allowed.join(', ')
      const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      for (const method of all.filter((one) => !allowed.includes(one))) {
        for (const slash of ['', '/']) {
          const answer = await request(filled(path) + slash, { method, headers: { authorization } })
          t.equal(answer.status, 405, method)
          t.equal(answer.headers.get('allow'), allow)
          if (method === 'HEAD') continue
          t.strictSame(answer.body, { detail: 'Method Not Allowed', code: 'method_not_allowed' })
        }
      }
    })

    for (const { method, operationId, auditEvents } of here) {
      t.test(
        `answers ${operationId} the same with a trailing slash, without a redirect`,
        async (t) => {
          const body =
            method === 'GET' ? null : '{"all":7,"email":7,"departments":7,"team_size":"x","name":7}'
          for (const headers of [{ ...json }, { ...json, authorization }]) {
            const init = { method, headers, body, redirect: 'manual' as const }
            const plain = await request(filled(path), init)
            const slashed = await request(`${filled(path)}/`, init)
            t.ok([200, 201, 401, 403, 404, 422].includes(plain.status))
            t.equal(slashed.status, plain.status)
            // An operation that records an event changes something again, so its answer differs.
            const isDone = plain.status < 400 && auditEvents.length > 0
            if (!isDone) t.strictSame(slashed.body, plain.body)
          }
        },
      )
    }
  }

  for (const path of [
    '/api/v1',
    '/api/v2/users',
    '/API/v1/users',
    '/api/v1/%',
    '/api/v1/%ff',
    '/api/v1/users/invite/%zz',
  ]) {
    t.test(`${path} is not found`, async (t) => {
      for (const method of ['GET', 'POST', 'PUT']) {
        const { status, headers, body } = await request(path, { method })
        t.equal(status, 404)
        t.strictSame(body, { detail: 'Not Found', code: 'not_found' })
        t.ok(headers.get('x-request-id'))
      }
    })
  }

  t.test('with an invalid id is answered like one with an unknown id', async (t) => {
    const operator = await addMember(organization_id, 'super_admin')
    const ids = ['x', '0', 'null', `${organization_id}x`, '../x', 'é', '\0', 'x'.repeat(1000)]
    for (const id of [...ids, organization_id.toUpperCase().replace(/^0/, 'A')]) {
      const shown = { token: operator.token, params: { organization_id: id } }
      t.equal((await call('listAuditEvents', shown)).body.detail, 'Organization not found')
      const experiment = { token, params: { experiment_id: id }, body: {} }
      t.equal((await call('updateExperiment', experiment)).body.detail, 'Experiment not found')
    }
  })

  t.test('with an empty id is answered like one with an unknown id', async (t) => {
    const operator = await addMember(organization_id, 'super_admin')
    for (const member of [admin, operator]) {
      const empty = { token: member.token, params: { organization_id: '' }, body: {} }
      t.equal((await call('updateBranding', empty)).body.detail, 'Organization not found')
    }
  })

  t.test('that is far too long is not found', async (t) => {
    const long = `/api/v1/users/invite/${'x'.repeat(5000)}`
    const { status } = await request(long, { method: 'POST', headers: { authorization } })
    t.equal(status, 404)
  })
})
