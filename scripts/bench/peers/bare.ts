import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSigner, createVerifier } from 'fast-jwt'
import { type TokenSubject, tokenTerms } from '../tokens.js'
import {
  brandingValues,
  changeBrandingGivingColumns,
  changeBrandingGivingJson,
  checkBranding,
} from './branding.js'
import { allow, createCallers } from './callers.js'
import * as lists from './lists.js'
import { openPool, Refusal, readPeerEnvironment } from './peer.js'
import { joinRow, joinRows, rawTypes } from './raw-json.js'
import {
  checkRegistration,
  grantOf,
  newAdmin,
  registrationStatement,
  subjectOf,
} from './registration.js'

/**
 * What can be had at all: nothing between node:http and pg, JSON as text from end to end. PostgreSQL
 * writes it (agg), or it is joined from raw columns (raw), or from texts that are stored (text).
 */
const { VARIANT } = process.env
const isRaw = VARIANT === 'raw'
const pool = openPool()
const callers = createCallers(pool)
const { secret, iss, aud, requiredClaims } = tokenTerms
const verify = createVerifier({
  key: secret,
  algorithms: ['HS256'],
  allowedIss: iss,
  allowedAud: aud,
  requiredClaims,
  cache: 10_000,
})
const sign = createSigner({ key: secret, algorithm: 'HS256', iss, aud, expiresIn: 3_600_000 })

function authenticate(request: IncomingMessage) {
  const token = /^Bearer +([^ ]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!token) throw new Refusal(401)
  let subject: TokenSubject
  try {
    subject = verify(token)
  } catch {
    throw new Refusal(401)
  }
  return callers(subject)
}

async function listJson(list: lists.List, conditions: lists.Conditions, limit?: number) {
  if (!isRaw) {
    const statement = lists.selectJson(list, conditions, limit)
    const { rows } = await pool.query<[string]>({ ...statement, rowMode: 'array' })
    return rows[0]?.[0] ?? '[]'
  }
  const statement = lists.selectRows(list, conditions, limit)
  const { rows } = await pool.query({ ...statement, rowMode: 'array', types: rawTypes })
  return joinRows(list.columns, rows)
}

async function list(request: IncomingMessage, one: lists.List): Promise<string> {
  const { organization_id } = allow(await authenticate(request), one.roles)
  return listJson(one, { organization_id })
}

async function listAuditEvents(request: IncomingMessage, path: string, query: string) {
  const organization_id = path.slice(auditPath.length)
  allow(await authenticate(request), lists.auditEvents.roles, organization_id)
  const given = new URLSearchParams(query)
  const filters = {
    category: given.get('category') || null,
    event_type: given.get('event_type') || null,
    status: given.get('status') || null,
  }
  const limit = Number(given.get('limit') ?? 100)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) throw new Refusal(422)
  const conditions = { organization_id, ...filters }
  return VARIANT === 'text'
    ? listTexts(lists.auditEvents, conditions, limit)
    : listJson(lists.auditEvents, conditions, limit)
}

async function listTexts(list: lists.List, conditions: lists.Conditions, limit: number) {
  const statement = lists.selectTexts(list, conditions, limit)
  const { rows } = await pool.query<[string]>({ ...statement, rowMode: 'array' })
  return `[${rows.slice(0, limit).join(',')}]`
}

async function updateBranding(request: IncomingMessage, path: string): Promise<string> {
  const [organization_id] = path.slice(organizationsPath.length).split('/')
  const caller = allow(await authenticate(request), ['admin'], organization_id)
  const values = brandingValues(checkBranding(await readBody(request)), caller)
  if (!isRaw) {
    const statement = { name: 'branding', text: changeBrandingGivingJson, values }
    const { rows } = await pool.query<[string]>({ ...statement, rowMode: 'array' })
    return rows[0]?.[0] ?? 'null'
  }
  const statement = { name: 'branding', text: changeBrandingGivingColumns, values }
  const { rows } = await pool.query({ ...statement, rowMode: 'array', types: rawTypes })
  return joinRow(lists.brandingColumns, rows[0] ?? [])
}

async function register(request: IncomingMessage): Promise<string> {
  const admin = await newAdmin(checkRegistration(await readBody(request)))
  await pool.query(registrationStatement(admin))
  return JSON.stringify(grantOf(admin, sign({ ...subjectOf(admin), jti: randomUUID() })))
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

const auditPath = '/api/v1/admin/simulation/audit-events/'
const organizationsPath = '/api/v1/organizations/'

function route(request: IncomingMessage): Promise<string> {
  const { method, url = '' } = request
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  if (method === 'GET') {
    if (path.startsWith(auditPath)) {
      return listAuditEvents(request, path, mark < 0 ? '' : url.slice(mark))
    }
    if (path === '/api/v1/users/') return list(request, lists.users)
    if (path === '/api/v1/admin/simulation/channel-templates') {
      return list(request, lists.channelTemplates)
    }
    if (path === '/api/v1/admin/simulation/team-drills/experiments') {
      return list(request, lists.experiments)
    }
  }
  if (method === 'PUT' && path.startsWith(organizationsPath)) return updateBranding(request, path)
  if (method === 'POST' && path === '/api/v1/auth/register') return register(request)
  throw new Refusal(404)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const text = await route(request)
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  } catch (error) {
    if (!(error instanceof Refusal)) console.error(error)
    response.writeHead(error instanceof Refusal ? error.statusCode : 500).end('{}')
  }
}

const server = createServer(answer)
server.listen(readPeerEnvironment().port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => process.exit(0))
