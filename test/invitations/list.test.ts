import { randomUUID } from 'node:crypto'
import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { rowsOf } from '../helpers/walk.js'

const { call, db, request, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }
type Invitation = Schema<'InvitationRecord'>

const names = { first_name: 'Tomás', last_name: 'Herrera' }
async function invite(fields: Record<string, unknown> = {}, as: Member = admin) {
  const body = { ...names, email: `${randomUUID()}@example.com`, ...fields }
  const params = { organization_id: as.organization_id }
  const answer = await call('inviteMember', { token: as.token, params, body })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  const { email, _id: user_id } = answer.body.user
  return { email, user_id, temporary_password: answer.body.temporary_password }
}
async function list(query: Record<string, string> = {}, as: Member = admin): Promise<Invitation[]> {
  const params = { organization_id: as.organization_id }
  const { status, body } = await call('listInvitations', { token: as.token, params, query })
  t.equal(status, 200)
  return body
}
const login = async (email: string, password: string) =>
  call('login', { body: { email, password } })
const revoke = (user_id: string, as = { token }) =>
  call('revokeInvitation', { token: as.token, params: { ...params, user_id } })
const idsOf = (rows: Invitation[]) => rows.map(({ user_id }) => user_id)

/** Lets an invited person choose a password. */
async function choosePassword({ email, temporary_password }: Awaited<ReturnType<typeof invite>>) {
  const { access_token: token } = (await login(email, temporary_password)).body
  const body = { current_password: temporary_password, new_password: 'a password of my own' }
  t.equal((await call('changePassword', { token, body })).status, 200)
}

/** Returns all pages. It follows the links from the first page on. */
async function readPages(
  { token, organization_id }: Member,
  query: string,
): Promise<Invitation[][]> {
  const pages: Invitation[][] = []
  const headers = { authorization: `Bearer ${token}` }
  for (let next = `/api/v1/users/invite/${organization_id}?${query}`; next && pages.length < 10; ) {
    const page = await request(next, { headers })
    pages.push(page.body)
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  }
  return pages
}

async function addInvitations({ organization_id, user_id: invited_by }: Member, count: number) {
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const rows = Array.from({ length: count }, () => {
    const ids = { organization_id, _id: randomUUID(), user_id: randomUUID(), invited_by }
    return { ...ids, email: `${randomUUID()}@example.com`, role: 'employee' as const, expires_at }
  })
  await db.insertInto('invitations').values(rows).execute()
}

t.test('listInvitations', async (t) => {
  const admin = await registerAdmin()
  const accepted = await invite({ access_level: 'lead' }, admin)
  await choosePassword(accepted)
  const expired = await invite({}, admin)
  const past = { expires_at: new Date(Date.now() - 1).toISOString() }
  await db.updateTable('invitations').set(past).where('user_id', '=', expired.user_id).execute()
  const revoked = await invite({}, admin)
  await call('revokeInvitation', {
    token: admin.token,
    params: { organization_id: admin.organization_id, user_id: revoked.user_id },
  })
  const pending = await invite({}, admin)
  await invite({ access_level: 'bot' }, admin)
  const byStatus = { pending, revoked, expired, accepted }

  t.test('lists every invitation with its status, newest first, and no bot', async (t) => {
    const rows = await list({}, admin)
    t.strictSame(
      rows.map(({ user_id, email, status }) => ({ user_id, email, status })),
      Object.entries(byStatus).map(([status, { user_id, email }]) => ({ user_id, email, status })),
    )
    const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
    const instants = { created_at: timestamp, expires_at: timestamp }
    const shared = { ...instants, invited_by: admin.user_id, email_sent: false }
    for (const row of rows) t.match(row, { ...shared, full_name: 'Tomás Herrera' })
    t.match(rows, [
      { role: 'employee', accepted_at: null, revoked_at: null },
      { role: 'employee', accepted_at: null, revoked_at: timestamp },
      { role: 'employee', accepted_at: null, revoked_at: null },
      { role: 'executive', accepted_at: timestamp, revoked_at: null },
    ])
    t.notMatch(JSON.stringify(rows), new RegExp(`${pending.temporary_password}|hash`))
  })

  for (const [status, { user_id }] of Object.entries(byStatus)) {
    t.test(`lists only ${status} invitations on request`, async (t) => {
      t.strictSame(idsOf(await list({ status }, admin)), [user_id])
    })
  }

  t.test('treats an empty status as absent, and refuses other texts', async (t) => {
    t.equal((await list({ status: '' }, admin)).length, 4)
    const { token, organization_id } = admin
    const answer = await call('listInvitations', {
      token,
      params: { organization_id },
      query: { status: 'lost', limit: '0', cursor: 'x' },
    })
    t.equal(answer.status, 422)
    t.match(answer.body.detail.map(({ loc }: { loc: string[] }) => loc.join()).sort(), [
      'query,limit',
      'query,status',
    ])
  })

  t.test('returns each invitation once over all linked pages', async (t) => {
    for (const [status, pageCount] of [
      ['', 4],
      ['pending', 1],
    ] as const) {
      const pages = await readPages(admin, `limit=1&status=${status}`)
      t.equal(pages.length, pageCount)
      t.strictSame(idsOf(pages.flat()), idsOf(await list({ status }, admin)))
    }
  })

  t.test('refuses an invalid cursor', async (t) => {
    const { token, organization_id } = admin
    const query = { cursor: 'nonsense' }
    const answer = await call('listInvitations', { token, params: { organization_id }, query })
    t.equal(answer.status, 422)
    t.match(answer.body.detail, [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }])
  })

  for (const size of [99, 100, 101, 201]) {
    t.test(`returns at most a hundred of ${size} by default`, async (t) => {
      const company = await registerAdmin()
      await addInvitations(company, size)
      const pages = await readPages(company, '')
      t.equal(pages.slice(0, -1).flat().length, Math.floor((size - 1) / 100) * 100)
      t.equal(new Set(idsOf(pages.flat())).size, size)
      t.equal((await list({ limit: '201' }, company)).length, size)
    })
  }
})

t.test('revokeInvitation', async (t) => {
  t.test('deletes the account and frees its e-mail address', async (t) => {
    const { email, user_id, temporary_password } = await invite()
    const { access_token } = (await login(email, temporary_password)).body
    t.equal((await call('getCurrentUser', { token: access_token })).status, 200)
    const { status, body } = await revoke(user_id)
    t.strictSame([status, body], [204, ''])
    t.equal((await call('getCurrentUser', { token: access_token })).status, 401)
    t.equal((await login(email, temporary_password)).status, 401)
    t.equal((await call('getUser', { token, params: { user_id } })).status, 404)
    const rows = await rowsOf(db, organization_id)
    const tables = rows.filter((row) => row.includes(user_id)).map((row) => row.split(' ')[0])
    t.strictSame([...new Set(tables)].sort(), ['audit_events', 'invitations'])

    const again = await invite({ email })
    t.not(again.user_id, user_id)
    t.equal((await login(email, again.temporary_password)).status, 200)
    t.match(await list(), [
      { email, user_id: again.user_id, status: 'pending' },
      { email, user_id, status: 'revoked' },
    ])
  })

  t.test('also revokes an expired invitation', async (t) => {
    const { email, user_id } = await invite()
    const past = { expires_at: new Date(Date.now() - 1).toISOString() }
    await db.updateTable('invitations').set(past).where('user_id', '=', user_id).execute()
    t.equal((await revoke(user_id)).status, 204)
    await invite({ email })
  })

  t.test('is refused after an acceptance or a revocation, also concurrently', async (t) => {
    const accepted = await invite()
    await choosePassword(accepted)
    const revoked = await invite()
    const twice = await Promise.all([revoke(revoked.user_id), revoke(revoked.user_id)])
    t.strictSame(twice.map(({ status }) => status).sort(), [204, 409])
    for (const [{ user_id }, current_status] of [
      [accepted, 'accepted'],
      [revoked, 'revoked'],
    ] as const) {
      for (const operation of ['revokeInvitation', 'resendInvitation'] as const) {
        const { status, body } = await call(operation, { token, params: { ...params, user_id } })
        t.equal(status, 409)
        t.match(body, { code: 'invitation_not_pending', current_status })
      }
    }
    t.equal((await login(accepted.email, 'a password of my own')).status, 200)
  })

  t.test('lets hr revoke only invitations to roles below hr', async (t) => {
    const hr = await addMember(organization_id, 'hr')
    for (const [access_level, status] of [
      ['employee', 204],
      ['executive', 204],
      ['hr', 403],
      ['admin', 403],
    ] as const) {
      const { user_id } = await invite({ access_level })
      t.equal((await revoke(user_id, hr)).status, status, access_level)
    }
  })

  t.test('answers 404 for a user who was not invited here', async (t) => {
    const other = await registerAdmin()
    const { user_id } = await invite({}, other)
    const bot = await invite({ access_level: 'bot' })
    for (const unknown of [user_id, admin.user_id, bot.user_id, randomUUID(), 'x']) {
      const { status, body } = await revoke(unknown)
      t.equal(status, 404)
      t.strictSame(body, { detail: 'Invitation not found', code: 'invitation_not_found' })
    }
    t.equal((await list({}, other))[0]?.status, 'pending')
  })

  t.test('records one audit event', async (t) => {
    const { email, user_id } = await invite()
    await revoke(user_id)
    const events = await auditEvents(call, admin, { event_type: 'invitation_revoked' })
    t.match(events[0], { category: 'invitation', actor_id: admin.user_id, metadata: { user_id } })
    t.notMatch(JSON.stringify(events[0]), email)
    t.not(events[1]?.metadata?.user_id, user_id)
  })
})
