import { loadContract } from '../../../src/contract.js'
import { fieldRequired, refused } from '../../helpers/faults.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { unknownId } from '../../helpers/walk.js'

const { call, request, registerAdmin } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }
const authorization = `Bearer ${token}`
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const { operations, document } = loadContract()
const branding = `/api/v1/organizations/${organization_id}/branding`

/** A body that is sent in chunks and has none. */
async function* emptyChunks() {}

/** Sends a branding in these bytes. */
const sendBytes = (body: Buffer, type = 'application/json') =>
  request(branding, { method: 'PUT', headers: { authorization, 'content-type': type }, body })

t.test('A request without content may name any type', async (t) => {
  const withoutBody = operations.filter(
    ({ method, bodyRequired }) => method !== 'GET' && !bodyRequired,
  )
  t.ok(withoutBody.length > 15)
  for (const { operationId, method, path } of withoutBody) {
    const filled = path.replace('{organization_id}', organization_id).replace(/\{\w+\}/g, unknownId)
    for (const body of [null, '', emptyChunks()]) {
      // A logout would end the login session of the others.
      const caller = operationId === 'logout' ? await registerAdmin() : admin
      const headers = { ...form, authorization: `Bearer ${caller.token}` }
      const { status } = await request(filled, { method, headers, body, duplex: 'half' })
      t.notOk([401, 415, 422].includes(status), `${operationId} answers ${status} to ${body}`)
    }
  }
})

t.test('A missing body is reported as missing, with any Content-Type', async (t) => {
  for (const headers of [form, { 'content-type': 'text/plain' }]) {
    refused(t, await call('updateBranding', { token, params, rawBody: '', headers }), fieldRequired)
  }
})

t.test('The body null is refused where a body may be left out', async (t) => {
  const paths = document.paths as Record<string, Record<string, { requestBody?: object }>>
  const mayLeaveOut = operations.filter(
    ({ method, path, bodyRequired }) =>
      !bodyRequired && paths[path]?.[method.toLowerCase()]?.requestBody,
  )
  t.ok(mayLeaveOut.length > 3)
  for (const { operationId, method, path } of mayLeaveOut) {
    const filled = path.replace('{organization_id}', organization_id).replace(/\{\w+\}/g, unknownId)
    const headers = { authorization, 'content-type': 'application/json' }
    const { status, body } = await request(filled, { method, headers, body: 'null' })
    t.match([status, body.detail?.[0]?.type], [422, 'model_attributes_type'], operationId)
  }
})

t.test('An operation without a body ignores content', async (t) => {
  const paths = document.paths as Record<string, Record<string, { requestBody?: object }>>
  const takesNone = operations.filter(
    ({ method, path }) => method !== 'GET' && !paths[path]?.[method.toLowerCase()]?.requestBody,
  )
  t.ok(takesNone.length > 10)
  for (const { operationId, method, path } of takesNone) {
    const filled = path.replace('{organization_id}', organization_id).replace(/\{\w+\}/g, unknownId)
    const statuses = []
    for (const [type, body] of [
      ['application/json', null],
      ['application/json', '{'],
      ['text/plain', 'x'.repeat(100_000)],
    ] as const) {
      const headers = { authorization, 'content-type': type }
      statuses.push((await request(filled, { method, headers, body })).status)
    }
    t.equal(new Set(statuses).size, 1, `${operationId}: ${statuses.join()}`)
  }
})

t.test('JSON in another encoding is refused', async (t) => {
  const latin1 = Buffer.from('{"company_name":"Köln"}', 'latin1')
  const fault = ['json_invalid', 'JSON decode error: should be UTF-8'] as const
  refused(t, await sendBytes(latin1), ['body 18', ...fault])
  refused(t, await sendBytes(Buffer.from([...Buffer.from('"\ufffd'), 0xff, 0x22])), [
    'body 2',
    ...fault,
  ])
  const truncated = Buffer.from('{"company_name":"ö').subarray(0, -1)
  refused(t, await sendBytes(truncated), ['body 17', ...fault])
  for (const charset of ['iso-8859-1', 'latin1', 'utf-16', '"windows-1252"']) {
    for (const bytes of [latin1, Buffer.from('{}')]) {
      const { status, body } = await sendBytes(bytes, `application/json; charset=${charset}`)
      t.equal(status, 415, charset)
      t.strictSame(body, {
        detail: 'The charset of application/json must be UTF-8',
        code: 'unsupported_media_type',
      })
    }
  }
  for (const charset of ['utf-8', 'UTF-8', 'utf8', '"utf-8"']) {
    const { status } = await sendBytes(Buffer.from('{}'), `application/json; charset=${charset}`)
    t.equal(status, 200, charset)
  }
})

t.test('A byte order mark is ignored', async (t) => {
  const { status, body } = await sendBytes(Buffer.from('\ufeff{"company_name":"Köln"}'))
  t.match([status, body], [200, { company_name: 'Köln' }])
  const twice = await sendBytes(Buffer.from('\ufeff\ufeff{}'))
  refused(t, twice, ['body', 'json_invalid', 'JSON decode error'])
})
