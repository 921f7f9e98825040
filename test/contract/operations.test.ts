import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Operation } from '../../src/contract.js'
import { defaultPageSize } from '../../src/database/lists/pages.js'
import { contractFaults, schemaFaults } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import {
  contract,
  examplesIn,
  idPlaces,
  isAny,
  locate,
  mediaAt,
  objectOf,
  operations,
  parametersOf,
  pointerOf,
  requestMedia,
  resolveSchema,
  roles,
  type SchemaObject,
} from '../helpers/walk.js'

const run = promisify(execFile)
const responsesOf = (operation: Operation) =>
  Object.keys(objectOf(operation).responses).map((status) => ({
    status: Number(status),
    pointer: [...pointerOf(operation), 'responses', status],
  }))

const secrets = ['access_token', 'refresh_token', 'temporary_password', 'api_key', 'qr_svg']

/** Returns the names of the fields of a schema and of all schemas in it. */
function fieldsIn(schema: SchemaObject): string[] {
  const { properties = {}, items, anyOf = [] } = resolveSchema(schema)
  const parts = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  return [...Object.keys(properties), ...parts.flatMap(fieldsIn)]
}

t.test('The document', async (t) => {
  const { openapi, info, tags } = contract.document as {
    openapi: string
    info: { version: string; title: string }
    tags: { name: string; description: string }[]
  }

  t.test('is OpenAPI 3.1 with a semantic version', async (t) => {
    t.match(openapi, /^3\.1\.\d+$/)
    t.match(info.version, /^\d+\.\d+\.\d+$/)
  })

  t.test('describes every tag and uses no other', async (t) => {
    const used = new Set(operations.map(({ tag }) => tag))
    t.strictSame(new Set(tags.map(({ name }) => name)), used)
    t.ok(tags.every(({ description }) => description))
  })

  t.test('has every path under /api/v1 and a unique operationId for every operation', async (t) => {
    const others = operations.filter(
      ({ path }) => !/^\/api\/v1(\/[a-z-]+|\/\{[a-z_]+\})+$/.test(path),
    )
    // The standard path for keys that verify a signature (RFC 8615).
    t.strictSame(
      others.map(({ path }) => path),
      ['/.well-known/jwks.json'],
    )
    t.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  })

  t.test('gives pages the default length that the service uses', async (t) => {
    const limits = operations
      .flatMap(parametersOf)
      .map(({ node }) => node)
      .filter(({ name, schema }) => name === 'limit' && schema.default !== undefined)
    t.ok(limits.length > 0)
    for (const { schema } of limits) t.equal(schema.default, defaultPageSize)
  })

  t.test('matches the generated types', async (t) => {
    const output = join(t.testdir(), 'contract-types.ts')
    await run(process.execPath, ['scripts/contract-types.js', 'dist/openapi.yaml', output])
    t.equal(
      readFileSync('src/contract-types.ts', 'utf8'),
      readFileSync(output, 'utf8'),
      'src/contract-types.ts is current; `npm run build` updates it',
    )
  })
})

t.test('A time in an answer has exactly one format', async (t) => {
  const branding = ['components', 'examples', 'Branding', 'value']
  const faultsOf = (updated_at: string) => {
    const body = { ...locate<object>(branding).node, updated_at }
    const headers = new Headers({ 'content-type': 'application/json' })
    return contractFaults('updateBranding', { status: 200, headers, body })
  }
  t.notMatch(faultsOf('2026-11-21T08:00:00.000Z').join(), 'date-time')
  for (const time of ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00.000+00:00', '2026-11-21']) {
    t.match(faultsOf(time).join(), 'data/updated_at must match format "date-time"')
  }
})

for (const operation of operations) {
  const { operationId, tag, path, method, successStatus } = operation
  const { summary, description, tags, responses, ...object } = objectOf(operation)

  t.test(`${operationId} in the contract`, async (t) => {
    t.test('has a summary, a description and one tag', async (t) => {
      t.ok(summary)
      t.ok(description)
      t.strictSame(tags, [tag])
    })

    t.test('has its handler and its tests in the folders of its tag', async (t) => {
      const handlers = await import(`../../src/${tag}/handlers.js`)
      t.type(handlers[operationId], 'function', `src/${tag}/handlers.ts exports it`)
      const files = readdirSync(`test/${tag}`).filter((name) => name.endsWith('.ts'))
      const texts = files.map((file) => readFileSync(join('test', tag, file), 'utf8'))
      t.ok(
        texts.some((text) => text.includes(`t.test('${operationId}'`)),
        `a file in test/${tag} has t.test('${operationId}')`,
      )
    })

    t.test('documents every status it can answer', async (t) => {
      const hasItems = (list: unknown[]) => list.length > 0
      const takesQuery = parametersOf(operation).some(({ node }) => node.in === 'query')
      const { requestBody } = object
      const conditions = [
        [successStatus, true],
        [400, true],
        [401, operation.roles !== null],
        [
          403,
          operation.roles && operation.roles.length + operation.apiKeyRoles.length < roles.length,
        ],
        [404, hasItems(idPlaces(operation).filter((place) => place.in === 'path'))],
        [408, operation.method !== 'GET'],
        [413, requestBody],
        [415, requestBody],
        [422, requestBody || takesQuery],
        [429, true],
        [500, true],
        [503, true],
      ] as const
      const statuses = Object.keys(responses)
      for (const [status, isPossible] of conditions) {
        if (isPossible) t.ok(statuses.includes(String(status)), `${status}`)
      }
      t.strictSame(
        statuses.filter((status) => !/^[2345]\d\d$/.test(status)),
        [],
        'every status by its number',
      )
      const successes = statuses.filter((status) => status.startsWith('2'))
      t.strictSame(
        successes,
        operation.operationId === 'streamSessionEvents'
          ? ['200', '204']
          : [String(operation.successStatus)],
        'one success status; the stream of a session also has one for its end',
      )
    })

    t.test('answers an error as ErrorResponse or ValidationError', async (t) => {
      const errors = responsesOf(operation).filter(({ status }) => status >= 400)
      for (const { status, pointer } of errors) {
        const wanted = status === 422 ? 'ValidationError' : 'ErrorResponse'
        t.equal(mediaAt(pointer)?.node.schema.$ref, `#/components/schemas/${wanted}`, `${status}`)
        const needed = { 401: 'WWW-Authenticate', 429: 'Retry-After', 503: 'Retry-After' }[status]
        const { headers } = locate<{ headers?: object }>(pointer).node
        if (needed) t.ok(Object.keys(headers ?? {}).includes(needed), `${status} ${needed}`)
      }
    })

    t.test('accepts at most 8 KiB without a token, and at registration 64 KiB', async (t) => {
      if (!object.requestBody || operation.roles) return
      t.equal(operation.bodyLimit, operation.operationId === 'register' ? 65_536 : 8_192)
      t.ok(operation.isOfStrangers, 'at the rate of strangers')
    })

    t.test('forbids caching of its answer exactly when the answer contains a secret', async (t) => {
      const [success] = responsesOf(operation).filter(({ status }) => status < 300)
      const schema = mediaAt(success?.pointer ?? [])?.node.schema
      const isSecret = fieldsIn(schema ?? {}).some((name) => secrets.includes(name))
      t.equal(operation.answersSecret, isSecret, 'by the header Cache-Control')
    })

    t.test('gives examples that match their schemas', async (t) => {
      const request = requestMedia(operation)
      const answers = responsesOf(operation).flatMap(({ pointer }) => mediaAt(pointer) ?? [])
      for (const media of request ? [request, ...answers] : answers) {
        const examples = examplesIn(media)
        t.ok(examples.length > 0, `${media.pointer.join('/')} has an example`)
        for (const example of examples) {
          t.strictSame(schemaFaults([...media.pointer, 'schema'], example), [])
        }
      }
      for (const { node, pointer } of parametersOf(operation)) {
        t.ok(node.description, `${node.name} is described`)
        if (node.in === 'path') {
          t.strictSame(schemaFaults([...pointer, 'schema'], node.example), [], node.name)
        }
      }
    })

    t.test('documents the events that it records', async (t) => {
      const events = object['x-audit-events']
      if (method === 'GET' && !events) return
      t.ok(Array.isArray(events), 'x-audit-events, empty when it records nothing')
      for (const { category, event_type, ...rest } of events ?? []) {
        const isDescribed = Object.hasOwn(
          contract.auditEvents[category]?.event_types ?? {},
          event_type,
        )
        t.ok(
          isDescribed || isAny({ category, event_type }),
          `${category} ${event_type} is described`,
        )
        t.strictSame(rest, {})
      }
    })

    t.test('requires roles, or has a public path', async (t) => {
      if (operation.roles === null)
        t.match(path, /^\/(api\/v1\/(auth|avatars|simulation\/seats)|\.well-known)\//)
      t.ok(object.security, 'security is documented')
      t.strictSame(
        operation.roles?.filter((role) => !roles.includes(role)) ?? [],
        [],
        'only existing roles',
      )
      if (operation.roles) t.ok(operation.roles.includes('super_admin'))
      t.notOk(operation.roles?.includes('bot'), 'no bot uses a token of a person')
      t.strictSame(
        operation.apiKeyRoles.filter((role) => role !== 'bot'),
        [],
        'only bots use API keys',
      )
    })
  })
}
