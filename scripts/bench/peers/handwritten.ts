import { randomUUID } from 'node:crypto'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import Fastify, { type FastifyRequest, LogController } from 'fastify'
import type { PoolClient } from 'pg'
import { type TokenSubject, tokenTerms } from '../tokens.js'
import { type BrandingUpdate, colorPattern } from './branding.js'
import { changeBranding } from './branding-transaction.js'
import { allow, type Caller, createCallers } from './callers.js'
import * as lists from './lists.js'
import { openPool, Refusal, readPeerEnvironment } from './peer.js'
import {
  grantOf,
  newAdmin,
  type Registration,
  registrationInserts,
  registrationSchema,
  subjectOf,
} from './registration.js'
import { responseSchemas } from './response-schemas.js'

/**
 * The same operations as a good engineer writes them by hand: Fastify with schemas both ways, rows
 * as objects, named statements, nothing per request that can be remembered.
 */
const pool = openPool()
const callers = createCallers(pool)
const app = Fastify({
  logger: { level: 'warn' },
  logController: new LogController({ disableRequestLogging: true }),
  routerOptions: { ignoreTrailingSlash: true },
})
const { secret, iss, aud, requiredClaims } = tokenTerms
await app.register(fastifyJwt, {
  secret,
  namespace: 'peer',
  sign: { algorithm: 'HS256', iss, aud, expiresIn: '1h' },
  verify: {
    algorithms: ['HS256'],
    allowedIss: iss,
    allowedAud: aud,
    requiredClaims,
    cache: 10_000,
  },
})
const jwt = app.jwt.peer as JWT
app.setErrorHandler((error, _request, reply) => {
  const status =
    error instanceof Refusal ? error.statusCode : Reflect.get(Object(error), 'statusCode')
  if (!status) app.log.error(error)
  reply.code(status ?? 500).send({ detail: 'Refused' })
})

async function authenticate(request: FastifyRequest): Promise<void> {
  let subject: TokenSubject
  try {
    subject = jwt.verify<TokenSubject>(
      (request.headers.authorization ?? '').replace(/^Bearer +/i, ''),
    )
  } catch {
    throw new Refusal(401)
  }
  request.setDecorator('caller', await callers(subject))
}
app.decorateRequest('caller', null)
const callerOf = (request: FastifyRequest) => request.getDecorator<Caller>('caller')

async function selectList(
  list: lists.List,
  conditions: lists.Conditions,
  limit?: number,
): Promise<unknown[]> {
  const { rows } = await pool.query(lists.selectRows(list, conditions, limit))
  return rows
}

async function inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const listRoutes = [
  ['/api/v1/users', lists.users, responseSchemas.users],
  [
    '/api/v1/admin/simulation/channel-templates',
    lists.channelTemplates,
    responseSchemas.channel_templates,
  ],
] as const
for (const [url, list, schema] of listRoutes) {
  app.get(url, { onRequest: authenticate, schema: { response: { 200: schema } } }, (request) => {
    const { organization_id } = allow(callerOf(request), list.roles)
    return selectList(list, { organization_id })
  })
}

interface AuditEventsRequest {
  Params: { organization_id: string }
  Querystring: { category?: string; event_type?: string; status?: string; limit: number }
}

const filter = { type: 'string' } as const
app.get<AuditEventsRequest>(
  '/api/v1/admin/simulation/audit-events/:organization_id',
  {
    onRequest: authenticate,
    schema: {
      querystring: {
        type: 'object',
        properties: {
          category: filter,
          event_type: filter,
          status: filter,
          limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
        },
      },
      response: { 200: responseSchemas.audit_events },
    },
  },
  (request) => {
    const { organization_id } = request.params
    allow(callerOf(request), lists.auditEvents.roles, organization_id)
    const { category, event_type, status, limit } = request.query
    const filters = {
      category: category || null,
      event_type: event_type || null,
      status: status || null,
    }
    return selectList(lists.auditEvents, { organization_id, ...filters }, limit)
  },
)

const color = { type: 'string', nullable: true, pattern: colorPattern }
const nullableText = (maxLength: number) => ({ type: 'string', nullable: true, maxLength })
const brandingSchema = {
  type: 'object',
  properties: {
    company_name: nullableText(200),
    logo_url: { ...nullableText(2_048), pattern: '^(https?://[^\\s\\\\]+)?$' },
    primary_color: color,
    sidebar_color: color,
    departments: {
      type: 'array',
      nullable: true,
      maxItems: 100,
      items: { type: 'string', maxLength: 100, pattern: '\\S' },
    },
    welcome_message: nullableText(10_000),
  },
}
app.put<{ Params: { organization_id: string }; Body: BrandingUpdate }>(
  '/api/v1/organizations/:organization_id/branding',
  {
    onRequest: authenticate,
    schema: { body: brandingSchema, response: { 200: responseSchemas.branding } },
  },
  async (request) => {
    const caller = allow(callerOf(request), ['admin'], request.params.organization_id)
    return inTransaction((client) => changeBranding(client, request.body, caller))
  },
)

app.post<{ Body: Registration }>(
  '/api/v1/auth/register',
  { schema: { body: registrationSchema, response: { 201: responseSchemas.grant } } },
  async (request, reply) => {
    const admin = await newAdmin(request.body)
    await inTransaction(async (client) => {
      for (const insert of registrationInserts(admin)) await client.query(insert)
    })
    reply.code(201)
    return grantOf(admin, jwt.sign({ ...subjectOf(admin), jti: randomUUID() }))
  },
)

console.log(await app.listen({ port: readPeerEnvironment().port, host: '127.0.0.1' }))
process.on('SIGTERM', () => process.exit(0))
