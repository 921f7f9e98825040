import { createHash, randomUUID } from 'node:crypto'
import type { OperationId } from '../../src/contract.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { rowsOf } from '../helpers/walk.js'

const { call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin
const bot = await newBot()

const create = (fields: Record<string, unknown> = {}, { user_id } = bot, as: Member = admin) =>
  call('createApiKey', {
    token: as.token,
    params: { user_id },
    body: { name: 'Runtime', ...fields },
  })
const list = ({ user_id } = bot, as: Member = admin) =>
  call('listApiKeys', { token: as.token, params: { user_id } })
const revoke = (api_key_id: string, { user_id } = bot, as: Member = admin) =>
  call('revokeApiKey', { token: as.token, params: { user_id, api_key_id } })
const withKey = (key: string, operation: OperationId = 'getCurrentUser') =>
  call(operation, { headers: { 'x-api-key': key }, params: { organization_id } })
const me = async (key: string) => (await withKey(key)).status
const soon = () => new Date(Date.now() + 60_000).toISOString()
/** Invites a bot, which has no key yet. */
async function newBot(): Promise<Member> {
  const email = `${randomUUID()}@example.com`
  const body = { first_name: 'Bo', last_name: 'Bot', email, access_level: 'bot' }
  const { user } = (await call('inviteMember', { token, params: { organization_id }, body })).body
  return { ...user, user_id: user._id, token: '', password: '' }
}

/** Returns the same instant, written with an offset from UTC such as '+15:59'. */
function withOffset(instant: string, offset: string) {
  const ahead = Date.parse(`1970-01-01T${offset.slice(1)}Z`) * (offset.startsWith('-') ? -1 : 1)
  return new Date(Date.parse(instant) + ahead).toISOString().slice(0, -1) + offset
}
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

t.test('createApiKey', async (t) => {
  t.test('returns a key that is shown once and stored as SHA-256', async (t) => {
    const bot = await newBot()
    const { status, headers, body } = await create({ name: 'Berlin runtime' }, bot)
    t.equal(status, 201)
    t.equal(headers.get('cache-control'), 'no-store')
    const { api_key, ...stored } = body
    t.match(api_key, /^wss_[\w-]{65}[AQgw]$/)
    t.match(stored, { organization_id, user_id: bot.user_id, name: 'Berlin runtime' })
    t.match(stored, { created_by: admin.user_id, created_at: timestamp })
    t.strictSame([stored.expires_at, stored.last_used_at], [null, null])
    t.strictSame((await list(bot)).body, [stored])
    const rows = (await rowsOf(db, organization_id)).join('\n')
    const secret = api_key.slice(4)
    t.ok(rows.includes(createHash('sha256').update(secret).digest('hex')))
    t.notOk(rows.includes(secret))
    t.match((await withKey(api_key)).body, { user: { _id: bot.user_id, role: 'bot' } })
    t.not((await create({}, bot)).body.api_key, api_key)
  })

  t.test('accepts only an expiry in the future', async (t) => {
    const expires_at = soon()
    for (const offset of ['+00:00', '+15:59', '+16:00', '-16:00', '+23:59', '-23:59']) {
      const { status, body } = await create({ expires_at: withOffset(expires_at, offset) })
      t.strictSame([status, body.expires_at], [201, expires_at], offset)
    }
    t.equal((await create({ expires_at: null })).body.expires_at, null)
    const { body: before } = await list()
    for (const past of ['2020-01-01T00:00:00Z', new Date().toISOString()]) {
      const { status, body } = await create({ expires_at: past })
      t.equal(status, 422)
      t.match(body.detail, [{ loc: ['body', 'expires_at'], type: 'not_in_future' }])
    }
    t.equal((await create({ expires_at: 'tomorrow' })).status, 422)
    t.equal((await list()).body.length, before.length)
  })

  t.test('requires a name that is not empty', async (t) => {
    const { body: before } = await list()
    for (const name of ['', null, 7]) t.equal((await create({ name })).status, 422)
    t.equal((await list()).body.length, before.length)
  })

  t.test('is for bots only', async (t) => {
    for (const role of ['admin', 'employee', 'super_admin'] as const) {
      const { status, body } = await create({}, await addMember(organization_id, role))
      t.equal(status, 409)
      t.strictSame(body, { detail: 'Only bots have API keys', code: 'not_a_bot' })
    }
  })

  t.test('records an audit event without the key, and so does revokeApiKey', async (t) => {
    const { body } = await create({ name: 'Watched' })
    await revoke(body._id)
    const [revoked, created] = await auditEvents(call, admin, { category: 'security' })
    const metadata = { api_key_id: body._id, user_id: bot.user_id }
    const event = { actor_id: admin.user_id, status: 'success', metadata }
    t.match(created, { event_type: 'api_key_created', ...event })
    t.match(revoked, { event_type: 'api_key_revoked', ...event })
    const trail = JSON.stringify(await auditEvents(call, admin))
    const hash = createHash('sha256').update(body.api_key.slice(4)).digest('hex')
    t.notMatch(trail, new RegExp(`${body.api_key.slice(4)}|${hash}`))
  })
})

t.test('An API key', async (t) => {
  const { api_key } = (await create()).body

  t.test('is refused when the service did not issue it', async (t) => {
    const secret = api_key.slice(4)
    const unknown = createOpaqueToken(organization_id).text
    for (const key of [secret, `wss_${unknown}`, `WSS_${secret}`, `${api_key}x`, 'wss_', 'x']) {
      const { status, headers, body } = await withKey(key)
      t.equal(status, 401)
      t.equal(headers.get('www-authenticate'), 'Bearer')
      t.strictSame(body, { detail: 'Could not validate credentials', code: 'invalid_token' })
    }
    const headers = { authorization: `Bearer ${api_key}` }
    t.equal((await call('getCurrentUser', { headers })).status, 401)
    const both = { token: 'nonsense', headers: { 'x-api-key': api_key } }
    t.equal((await call('getCurrentUser', both)).status, 401)
  })

  t.test('stops working when it expires', async (t) => {
    const { body } = await create({ expires_at: soon() })
    const past = { expires_at: new Date(Date.now() - 1).toISOString() }
    await db.updateTable('api_keys').set(past).where('_id', '=', body._id).execute()
    t.equal(await me(body.api_key), 401)
    const { body: keys } = await list()
    t.ok(keys.some(({ _id }: { _id: string }) => _id === body._id))
    const { body: living } = await create({ expires_at: soon() })
    t.equal(await me(living.api_key), 200)
  })

  t.test('shows when it was last used, and updates when its bot was last seen', async (t) => {
    const user = await newBot()
    const { body } = await create({}, user)
    t.equal(await me(body.api_key), 200)
    let used = null
    for (let attempt = 0; attempt < 200 && !used; attempt++) {
      const { body: shown } = await call('getUser', { token, params: { user_id: user.user_id } })
      used = shown.last_seen && (await list(user)).body[0].last_used_at
    }
    t.match(used, timestamp)
  })

  t.test('works only while its bot is active, from the next request', async (t) => {
    const params = { user_id: bot.user_id }
    const change = (is_active: boolean) =>
      call('updateUser', { token, params, body: { is_active } })
    t.equal(await me(api_key), 200)
    await change(false)
    t.equal(await me(api_key), 401)
    await change(true)
    t.equal(await me(api_key), 200)
  })
})

t.test('listApiKeys', async (t) => {
  t.test('returns the keys of one bot, oldest first, without their secrets', async (t) => {
    const other = await newBot()
    const created = []
    for (const name of ['c', 'a', 'b']) created.push((await create({ name }, other)).body)
    const { status, body } = await list(other)
    t.equal(status, 200)
    t.strictSame(
      body,
      created.map(({ api_key: _, ...stored }) => stored),
    )
    t.notMatch(JSON.stringify(body), /wss_|hash/)
    t.strictSame((await list(admin)).body, [])
  })
})

t.test('revokeApiKey', async (t) => {
  t.test('revokes one key immediately, and no other', async (t) => {
    const [one, other] = [(await create()).body, (await create()).body]
    for (const { api_key } of [one, other]) t.equal(await me(api_key), 200)
    const { status, body } = await revoke(one._id)
    t.strictSame([status, body], [204, ''])
    t.equal(await me(one.api_key), 401)
    t.equal(await me(other.api_key), 200)
    t.notOk((await list()).body.some(({ _id }: { _id: string }) => _id === one._id))
    t.strictSame((await revoke(one._id)).body, {
      detail: 'API key not found',
      code: 'api_key_not_found',
    })
  })

  t.test('finds a key only under its own bot and organization', async (t) => {
    const { body } = await create()
    const neighbour = await newBot()
    const stranger = await registerAdmin()
    t.equal((await revoke(body._id, neighbour)).status, 404)
    t.equal((await revoke(body._id, bot, stranger)).status, 404)
    for (const answer of [
      await list({ ...bot, user_id: randomUUID() }),
      await create({}, { ...bot, user_id: 'x' }),
    ]) {
      t.equal(answer.status, 404)
      t.strictSame(answer.body, { detail: 'User not found', code: 'user_not_found' })
    }
    t.equal(await me(body.api_key), 200)
    const operator = await addMember(stranger.organization_id, 'super_admin')
    t.equal((await create({}, bot, operator)).status, 201)
    t.equal((await revoke(body._id, bot, operator)).status, 204)
  })
})
