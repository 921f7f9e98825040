import pino from 'pino'
import root, { type Test } from 'tap'
import { buildApp } from '../../src/app.js'
import type { OperationId, Role, Schema } from '../../src/contract.js'
import { migrateToLatest } from '../../src/database/migrate.js'
import { createId } from '../../src/formats/identifiers.js'
import { apiKeyPrefix } from '../../src/identity/authenticator.js'
import {
  type SessionUser,
  startLoginSession,
} from '../../src/identity/login-sessions/login-sessions.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { readConfig } from '../../src/process/config.js'
import { contractFaults, operationOf } from './contract.js'
import { createDatabase } from './database.js'

interface CallOptions {
  /** An access token, or the API key of a bot. */
  token?: string
  params?: Record<string, string>
  query?: Record<string, string | string[]>
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  rawBody?: string
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  /**
   * The parsed JSON, which `call` has checked against the contract. With a union type of success and
   * errors, each test would first have to narrow what it asserts.
   */
  body: ReturnType<typeof JSON.parse>
}

export interface Member {
  token: string
  user_id: string
  organization_id: string
  username: string
  email: string
  password: string
}

const password = 'correct horse battery staple'
let hashed: Promise<string> | undefined

/** What the test files of a process share: a database, and a service on it. */
let common:
  | { database: ReturnType<typeof openDatabase>; service: ReturnType<typeof startOn> }
  | undefined

/**
 * The service on a free port. Without an environment, all files of this process share one service.
 * With an environment, the file gets a separate one. The database is shared in both cases, so a test
 * counts and changes only what belongs to its own organizations, unless it `isAlone`.
 * `call` goes through HTTP and throws on any answer that the contract does not document.
 */
export async function startService(
  t: Test,
  environment?: Record<string, string>,
  { isAlone = false, clock }: { isAlone?: boolean; clock?: () => number } = {},
) {
  if (isAlone) return startOn(openDatabase(t), t, environment, clock)
  if (!common) {
    const database = openDatabase(root)
    common = { database, service: startOn(database, root) }
  }
  return environment ? startOn(common.database, t, environment) : common.service
}

type OpenDatabase = Pick<Awaited<ReturnType<typeof createDatabase>>, 'db' | 'databaseUrl'>

async function openDatabase(t: Pick<Test, 'teardown'>) {
  const database = await createDatabase({ isMigrated: true })
  await migrateToLatest(database.db)
  t.teardown(async () => {
    await database.db.destroy()
    await database.drop()
  })
  return database
}

/** The service on a migrated database. */
export async function startOn(
  database: OpenDatabase | Promise<OpenDatabase>,
  t: Pick<Test, 'teardown'>,
  environment: Record<string, string> = {},
  clock?: () => number,
) {
  const { db, databaseUrl } = await database
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT: 'off', ...environment })
  const app = await buildApp({
    config,
    db,
    jwtSecrets: ['a secret for tests, 32 bytes long'],
    clock,
    engineTickMs: 200,
  })
  // Almost all tests register with the same password, and a hash takes a core 30 ms.
  const { hash } = app.passwords
  app.passwords.hash = (secret, key) => {
    if (secret !== password) return hash(secret, key)
    hashed ??= hash(secret, key).catch((error: unknown) => {
      hashed = undefined
      throw error
    })
    return hashed
  }
  // Collects every log line, so that the test output stays clean.
  const log: string[] = []
  Reflect.set(app.log, pino.symbols.streamSym, { write: (line: string) => log.push(line) })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  // With the hook `after`, tap would not end the file after its last test.
  t.teardown(() => app.close())

  async function call(operationId: OperationId, options: CallOptions = {}): Promise<Answer> {
    const { method, path } = operationOf(operationId)
    const answer = await request(fillPath(path, options), { method, ...httpOptions(options) })
    const faults = contractFaults(operationId, answer)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return answer
  }

  /** Any request, without a check against the contract. */
  async function request(path: string, init: RequestInit = {}): Promise<Answer> {
    let response = await fetch(url + path, init)
    // The service closes a connection that has sent nothing for ten seconds with a 408. If the client uses it in
    // that moment, the service has not read the request, which may be repeated (RFC 9110, 15.5.9).
    if (response.status === 408) response = await fetch(url + path, init)
    const [bare = ''] = path.split(/\/?(?:\?|$)/)
    const isEndless = response.ok && bare === operationOf('streamEvents').path
    const text = isEndless ? await beginningOf(response) : await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const body = isJson && text !== '' ? JSON.parse(text) : text
    return { status: response.status, headers: response.headers, body }
  }

  /**
   * A new organization with its first admin. It may send letters. A service that sends mail lets a service
   * without mail register them, so that no letter comes that the test does not ask for.
   */
  async function registerAdmin(fields: Partial<Schema<'Registration'>> = {}): Promise<Member> {
    if (app.mail.isConfigured) {
      const admin = await (await startService(root)).registerAdmin(fields)
      const verified = { verified_at: new Date().toISOString() }
      await db
        .updateTable('organizations')
        .set(verified)
        .where('_id', '=', admin.organization_id)
        .execute()
      return admin
    }
    const email = fields.email ?? `${createId()}@example.com`
    const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
    const given = { email, password, ...names, ...fields }
    const { status, body } = await call('register', { body: given })
    if (status !== 201) throw new Error(`register answered ${status}: ${JSON.stringify(body)}`)
    return { ...body, token: body.access_token, email, password: fields.password ?? password }
  }

  /** A new organization with an admin, and no audit event yet. */
  async function addOrganization(): Promise<Member> {
    const _id = createId()
    await db.insertInto('organizations').values({ _id, name: 'Acme' }).execute()
    return addMember(_id, 'admin')
  }

  /** A member of an organization with any role, created without an invitation. */
  async function addMember(organization_id: string, role: Role): Promise<Member> {
    const _id = createId()
    const username = `${role}-${_id.slice(-12)}`
    const email = `${username}@example.com`
    const user = { _id, organization_id, username, email, role }
    await db
      .insertInto('users')
      .values({ ...user, is_bot: role === 'bot' })
      .execute()
    const token = role === 'bot' ? await addApiKey(user) : await addSession(user)
    return { token, user_id: _id, organization_id, username, email, password: '' }
  }

  async function addSession(user: SessionUser): Promise<string> {
    const grant = await db.transaction().execute((trx) => startLoginSession(trx, app, user))
    return grant.access_token
  }

  /** Bots have no login session. */
  async function addApiKey({ _id: user_id, organization_id }: SessionUser): Promise<string> {
    const { text, hash: key_hash } = createOpaqueToken(organization_id)
    const apiKey = { _id: createId(), organization_id, user_id, name: 'Test', key_hash }
    await db
      .insertInto('api_keys')
      .values({ ...apiKey, created_by: user_id })
      .execute()
    return apiKeyPrefix + text
  }

  return {
    app,
    log,
    db,
    url,
    databaseUrl,
    call,
    request,
    registerAdmin,
    addOrganization,
    addMember,
  }
}

/** The first part of an answer that does not end. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return Buffer.from(first?.value ?? []).toString()
}

function fillPath(path: string, { params = {}, query = {} }: CallOptions): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) search.append(name, one)
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

function httpOptions({ token, body, rawBody, headers }: CallOptions): RequestInit {
  const text = rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  return {
    headers: {
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...(token && credentials(token)),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  }
}

const credentials = (token: string): Record<string, string> =>
  token.startsWith(apiKeyPrefix) ? { 'x-api-key': token } : { authorization: `Bearer ${token}` }

/** The audit events of an organization as its admin reads them, newest first. */
export async function auditEvents(
  call: (operationId: OperationId, options: CallOptions) => Promise<Answer>,
  { token, organization_id }: Member,
  filters: Record<string, string> = {},
): Promise<Schema<'AuditEvent'>[]> {
  const query = { limit: '500', ...filters }
  const { body } = await call('listAuditEvents', { token, params: { organization_id }, query })
  return body
}
