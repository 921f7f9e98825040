import { isDeepStrictEqual } from 'node:util'
import type { Role } from '../../src/contract.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import {
  exampleCall,
  idsOf,
  isAny,
  objectOf,
  operations,
  roles,
  unknownId,
} from '../helpers/walk.js'

const { call, request, url, db, app, registerAdmin, addMember } = await startService(t, {
  BODY_LIMIT: '4096',
})
const secured = operations.filter((operation) => operation.roles !== null)
/** The request id of all requests that are refused because of the role. */
const refusal = `refused-${unknownId}`
const fill = (path: string, id: string) => path.replace(/\{\w+\}/g, id)

t.test('A caller without a token', async (t) => {
  for (const operation of secured) {
    const { operationId, method, path } = operation
    const hasBody = method !== 'GET'
    const target = fill(path, unknownId)
    const example = exampleCall(operation, () => unknownId)
    const { params } = example

    t.test(`gets a 401 from ${operationId} before any other check`, async (t) => {
      const attempts = {
        'a valid request': example,
        'nothing but the path': { params },
        ...(hasBody && {
          'a body of the wrong type': { params, body: [7] },
          'malformed JSON': { params, rawBody: '{' },
          'another type of content': {
            params,
            rawBody: 'x',
            headers: { 'content-type': 'text/plain' },
          },
          'a body that is too large': { params, rawBody: `"${'x'.repeat(5000)}"` },
        }),
      }
      for (const [name, options] of Object.entries(attempts)) {
        const answer = await call(operationId, options)
        t.equal(answer.status, 401, name)
        t.equal(answer.body.code, 'not_authenticated')
        t.equal(answer.headers.get('www-authenticate'), 'Bearer')
      }
    })

    t.test(`gets a 401 from ${operationId} with invalid credentials`, async (t) => {
      const ghost = { _id: unknownId, organization_id: unknownId, username: 'ghost' }
      const refresh = createOpaqueToken(unknownId)
      const { access_token: valid } = app.tokens.grant(
        { ...ghost, role: 'super_admin' },
        { _id: unknownId, expires_at: '9999-01-01T00:00:00.000Z' },
        refresh,
      )
      const bearers = ['x', 'null', `${valid}x`, valid, valid.split('.').slice(0, 2).join('.')]
      for (const token of bearers) {
        const answer = await call(operationId, {
          ...exampleCall(operation, () => unknownId),
          token,
        })
        t.equal(answer.status, 401)
        t.equal(answer.body.code, 'invalid_token')
      }
      for (const authorization of ['Basic YTpi', 'Bearer', 'bearer ', valid]) {
        const answer = await call(operationId, { params, headers: { authorization } })
        t.equal(answer.status, 401, authorization.slice(0, 6))
      }
    })

    t.test(`gets a 401 from ${operationId} at every form of its path`, async (t) => {
      const init = hasBody ? { method, body: '{}' } : { method }
      t.equal((await request(`${target}/`, init)).status, 401, 'with a trailing slash')
      t.equal((await request(`${target}?access_token=x`, init)).status, 401, 'with a query')
      if (method !== 'GET') return
      const head = await fetch(url + target, { method: 'HEAD' })
      const hasNoHead = operation.auditEvents.length > 0 || operation.streamsEvents
      t.equal(head.status, hasNoHead ? 405 : 401, 'by HEAD')
    })
  }
})

t.test('A member', async (t) => {
  const admin = await registerAdmin()
  const { organization_id } = admin
  await call('applyQuickSetup', { token: admin.token, body: {} })
  const ids = await idsOf(db, organization_id)
  const tokens = new Map<Role, string>()
  for (const role of roles) tokens.set(role, (await addMember(organization_id, role)).token)

  for (const operation of secured) {
    const { operationId } = operation
    const allowed = [...(operation.roles ?? []), ...operation.apiKeyRoles]
    const options = exampleCall(operation, ({ name }) => ids.get(name) ?? unknownId)

    for (const role of roles.filter((one) => !allowed.includes(one))) {
      t.test(`with the role ${role} is refused ${operationId}`, async (t) => {
        const token = tokens.get(role) ?? ''
        const bad = operation.method === 'GET' ? {} : { body: [7] }
        const headers = { 'x-request-id': refusal }
        const answers = [
          await call(operationId, { ...options, token, headers }),
          await call(operationId, { ...options, ...bad, token, headers }),
        ]
        for (const { status, body } of answers) {
          t.equal(status, 403)
          t.equal(body.code, 'insufficient_role')
          t.strictSame(body.required_roles, allowed)
        }
      })
    }

    t.test(`may call ${operationId} with an allowed role`, async (t) => {
      for (const role of allowed) {
        const member = await addMember(organization_id, role)
        const { status, body } = await call(operationId, { ...options, token: member.token })
        t.not(status, 401, role)
        if (status === 403) t.notOk(body.required_roles?.includes(role), role)
      }
    })
  }
})

t.test('A refusal is not recorded', async (t) => {
  const rows = await db
    .selectFrom('audit_events')
    .select('event_type')
    .where('request_id', '=', refusal)
    .execute()
  t.strictSame(rows, [])
})

t.test('Any caller', async (t) => {
  const open = operations.filter((operation) => operation.roles === null)

  for (const operation of open) {
    t.test(`needs no token for ${operation.operationId}`, async (t) => {
      const isReading = operation.method === 'GET'
      const { params } = exampleCall(operation, () => unknownId)
      const answer = await call(operation.operationId, isReading ? { params } : { body: {} })
      t.equal(answer.status, isReading ? 200 : 422)
    })
  }
})

/** Operations without an effect here: there is no mail server, and the examples are invited. */
const idle: string[] = ['requestPasswordReset', 'resendVerification', 'inviteMembers']

/** An admin, and an id of each kind in their organization. */
async function openOrganization() {
  const admin = await registerAdmin({ organization_name: 'Another name' })
  await call('applyQuickSetup', { token: admin.token, body: {} })
  return { admin, ids: await idsOf(db, admin.organization_id) }
}

t.test('Every operation records what the contract says and nothing else', async (t) => {
  const unchanged = await openOrganization()
  for (const operation of operations) {
    t.test(operation.operationId, async (t) => {
      const isReading = operation.method === 'GET'
      const { admin, ids } = isReading ? unchanged : await openOrganization()
      const options = exampleCall(operation, ({ name }) => ids.get(name) ?? unknownId)
      const headers = { 'x-request-id': `walk-${operation.operationId}` }
      const { status } = await call(operation.operationId, {
        ...options,
        token: admin.token,
        headers,
      })
      const rows = await db
        .selectFrom('audit_events')
        .select(['category', 'event_type'])
        .where('request_id', '=', headers['x-request-id'])
        .execute()
      const { 'x-audit-events': declared = [] } = objectOf(operation)
      for (const row of rows) {
        t.ok(declared.some((event) => isAny(event) || isDeepStrictEqual(event, row)))
      }
      const isDone = status === operation.successStatus && !idle.includes(operation.operationId)
      t.equal(rows.length > 0, isDone && declared.length > 0, `${status}`)
    })
  }
})
