import { loadContract, type OperationId } from '../../../src/contract.js'
import { refused } from '../../helpers/faults.js'
import { t } from '../../helpers/file.js'
import { auditEvents, startService } from '../../helpers/service.js'
import { requestMedia, resolveSchema, type SchemaObject, unknownId } from '../../helpers/walk.js'

const { call, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { organization_id } = admin
const operator = await addMember(organization_id, 'super_admin')
const fault = ['not_storable', 'Value error, number cannot be stored exactly'] as const
const tooLarge = [
  '1161888007138312192',
  '9007199254740993',
  '-9007199254740993',
  '1234567890123456789012345',
  '9'.repeat(400),
  '1e400',
  '-1e400',
  '9007199254740993.0',
  '1161888007138312192e0',
  '1.161888007138312192E+18',
  '1e-400',
]
const exact = [
  '9007199254740991',
  '1152921504606847000',
  '-100000000000000000000',
  '1e22',
  '1E+2',
  '9007199254740992.000',
  '0e-400',
  '1.7976931348623157e308',
  '0.1234567890123456789',
  '5e-324',
  '-0.5',
]

/** The places in a schema that take any fields, each as a path to it. */
function freePlaces(schema: SchemaObject, path: string[] = []): string[][] {
  const { properties = {}, items, anyOf = [], ...given } = resolveSchema(schema)
  const here = 'additionalProperties' in given && given.additionalProperties === true ? [path] : []
  return [
    ...here,
    ...Object.entries(properties).flatMap(([name, part]) => freePlaces(part, [...path, name])),
    ...(items ? freePlaces(items, [...path, '0']) : []),
    ...anyOf.flatMap((form) => freePlaces(form, path)),
  ]
}

const bodyWith = (path: string[], text: string): string =>
  path.reduceRight((inner, key) => (key === '0' ? `[${inner}]` : `{"${key}":${inner}}`), text)

t.test('A number that would be stored as another one is refused at its place', async (t) => {
  const free = loadContract().operations.flatMap((operation) => {
    const media = requestMedia(operation)
    const places = media ? freePlaces(media.node.schema) : []
    const names = operation.path.matchAll(/(?<=\{)\w+/g)
    const ids = Object.fromEntries([...names].map(([name]) => [name, unknownId]))
    return places.map((path) => ({ ...operation, path, ids }))
  })
  t.ok(free.length > 20)
  for (const { operationId, roles, path, ids } of free) {
    for (const number of tooLarge) {
      const rawBody = bodyWith([...path, 'n'], number)
      const { token } = roles?.includes('admin') ? admin : operator
      const params = { ...ids, organization_id }
      const answer = await call(operationId as OperationId, { token, params, rawBody })
      const loc = ['body', ...path, 'n']
      const found = JSON.stringify(answer.body)
      t.match(
        found,
        JSON.stringify({ loc, msg: fault[1], type: fault[0] }).slice(1, -1),
        operationId,
      )
      if (operationId !== 'importChannelTemplates') t.equal(answer.status, 422)
    }
  }
})

t.test('A number of a typed field is refused for the same reason', async (t) => {
  for (const number of tooLarge) {
    const rawBody = `{"team_size":${number}}`
    const answer = await call('applyQuickSetup', { token: admin.token, rawBody })
    refused(t, answer, ['body team_size', ...fault])
  }
})

t.test('What is no number of JSON is refused, also in a field that is ignored', async (t) => {
  for (const number of ['00000000000000001', '-01234567890123456789', '1.', '1234567890123456.']) {
    const rawBody = `{"team_size":3,"unknown":${number}}`
    const { status, body } = await call('previewQuickSetup', { token: admin.token, rawBody })
    t.match([status, body], [422, { detail: [{ type: 'json_invalid' }] }], number)
  }
})

t.test('A number counts with all its digits, as it is answered', async (t) => {
  for (const number of ['1e308', '1e-300']) {
    const numbers = Array.from({ length: 60 }, () => number).join()
    const rawBody = `{"metadata":{"n":[${numbers}]}}`
    const answer = await call('applyQuickSetup', { token: admin.token, rawBody })
    const msg = 'Value error, should be at most 16384 bytes as JSON'
    refused(t, answer, ['body metadata', 'too_large', msg])
  }
})

t.test('Every other number is stored and returned as it was sent', async (t) => {
  const { token } = admin
  const rawBody = `{"name":"Numbers","hypothesis":"They stay.","metadata":{"n":[${exact.join()}]}}`
  const { status, body } = await call('createExperiment', { token, rawBody })
  t.equal(status, 201)
  t.strictSame(body.metadata, { n: exact.map(Number) })
  const params = { experiment_id: body._id }
  const read = await call('getExperiment', { token, params })
  t.strictSame(read.body.metadata, { n: exact.map(Number) })
  const events = `{"events":[{"event_type":"x","category":"x","title":"x","metadata":{"n":[${exact.join()}]}}]}`
  const recorded = await call('recordAuditEvents', {
    token,
    params: { organization_id },
    rawBody: events,
  })
  t.equal(recorded.status, 201)
  const [event] = await auditEvents(call, admin)
  t.match(event?.metadata, { n: exact.map(Number) })
})
