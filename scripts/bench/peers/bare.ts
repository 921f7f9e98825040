import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { hmacOf, type TokenSubject } from '../accounts.js'
import { lists } from './lists.js'

/**
 * The limit of what is possible: nothing between node:http and pg, and PostgreSQL writes the JSON,
 * which passes through as text.
 */
const poolSize = 10
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: poolSize })

class Refusal extends Error {
  constructor(readonly statusCode: number) {
    super(`Refused with ${statusCode}`)
  }
}

interface Caller {
  organization_id: string
  role: string
}

/** As long as the service remembers a caller. */
const rememberedMs = 4_500
const callers = new Map<string, { caller: Promise<Caller>; until: number }>()

const selectCaller = `
  select u.organization_id, role
  from users u
    join login_sessions s on s.organization_id = u.organization_id and s.user_id = u._id
    left join credentials c on c.organization_id = u.organization_id and c.user_id = u._id
  where u.organization_id = $1 and u._id = $2 and s._id = $3 and ended_at is null and is_active
    and not coalesce(c.is_temporary, false)`

/** Finds who calls, and remembers it by the token. */
function authenticate({ headers }: IncomingMessage): Promise<Caller> {
  const token = /^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const known = callers.get(token)
  if (known && known.until > Date.now()) return known.caller
  const caller = findCaller(token)
  callers.set(token, { caller, until: Date.now() + rememberedMs })
  return caller
}

async function findCaller(token: string): Promise<Caller> {
  const [head, payload = '', signature = ''] = token.split('.')
  const [given, right] = [signature, hmacOf(`${head}.${payload}`)].map((text) => Buffer.from(text))
  if (!given || !right || given.length !== right.length || !timingSafeEqual(given, right)) {
    throw new Refusal(401)
  }
  const subject = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const { sub, org, sid, exp } = subject as TokenSubject & { exp: number }
  if (exp * 1_000 < Date.now()) throw new Refusal(401)
  const statement = { name: 'caller', text: selectCaller, values: [org, sub, sid] }
  const { rows } = await pool.query<Caller>(statement)
  if (!rows[0]) throw new Refusal(401)
  return rows[0]
}

async function route(request: IncomingMessage): Promise<string> {
  const { method, url = '' } = request
  const { organization_id, role } = await authenticate(request)
  if (!['admin', 'hr'].includes(role)) throw new Refusal(403)
  const name = url.replace(organization_id, '*')
  const text = method === 'GET' ? lists[name] : undefined
  if (!text) throw new Refusal(404)
  const statement = { name, text, values: [organization_id], rowMode: 'array' }
  const { rows } = await pool.query<[string]>(statement)
  return rows[0]?.[0] ?? '[]'
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const text = await route(request)
    response.writeHead(200, {
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
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => process.exit(0))
