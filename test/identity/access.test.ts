import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changeAccess } from '../../src/identity/access-changes.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { app, call, db, registerAdmin, addMember } = await startService(t)
const admin = await registerAdmin()
const { token, organization_id } = admin

/** Returns the status of the answer to a caller. Then the service remembers the caller. */
const me = async (token: string) => (await call('getCurrentUser', { token })).status
const organization = async (token: string) =>
  (await call('getOrganization', { token, params: { organization_id } })).status

/** An invited member who has logged in with their temporary password. */
async function invitedMember() {
  const email = `${crypto.randomUUID()}@example.com`
  const body = { email, first_name: 'Tomás', last_name: 'Herrera', access_level: 'member' }
  const invited = await call('inviteMember', { token, params: { organization_id }, body })
  const password = invited.body.temporary_password
  const { body: grant } = await call('login', { body: { email, password } })
  return { user_id: grant.user_id, token: grant.access_token, password }
}

t.test('A remembered caller is refused immediately after', async (t) => {
  t.test('their logout', async (t) => {
    const member = await addMember(organization_id, 'hr')
    t.equal(await me(member.token), 200)
    await call('logout', { token: member.token })
    t.equal(await me(member.token), 401)
  })

  t.test('a change of their password', async (t) => {
    const { token, password: current_password } = await invitedMember()
    t.equal(await me(token), 200)
    const body = { current_password, new_password: 'correct horse battery staple' }
    t.equal((await call('changePassword', { token, body })).status, 200)
    t.equal(await me(token), 401)
  })

  t.test('their deactivation', async (t) => {
    const member = await addMember(organization_id, 'hr')
    t.equal(await me(member.token), 200)
    const params = { user_id: member.user_id }
    await call('updateUser', { token, params, body: { is_active: false } })
    t.equal(await me(member.token), 401)
  })

  for (const operation of ['resendInvitation', 'revokeInvitation'] as const) {
    t.test(operation, async (t) => {
      const member = await invitedMember()
      t.equal(await me(member.token), 200)
      const params = { organization_id, user_id: member.user_id }
      t.ok((await call(operation, { token, params })).status < 300)
      t.equal(await me(member.token), 401)
    })
  }

  t.test('the revocation of their key', async (t) => {
    const bot = await addMember(organization_id, 'bot')
    const params = { user_id: bot.user_id }
    const { body } = await call('createApiKey', { token, params, body: { name: 'Runtime' } })
    t.equal(await organization(body.api_key), 200)
    await call('revokeApiKey', { token, params: { ...params, api_key_id: body._id } })
    t.equal(await organization(body.api_key), 401)
  })
})

t.test('A change of access', async (t) => {
  t.test('is announced once, after its commit', async (t) => {
    const announced: string[] = []
    const work = async (trx: { changed: Set<string> }) => {
      trx.changed.add(admin.user_id).add(admin.user_id)
      t.strictSame(announced, [])
      return 'done'
    }
    t.equal(await changeAccess(db, work, (user_id) => announced.push(user_id)), 'done')
    t.strictSame(announced, [admin.user_id])
  })

  t.test('that is rolled back is not announced', async (t) => {
    const announced: string[] = []
    const work = async (trx: { changed: Set<string> }) => {
      trx.changed.add(admin.user_id)
      throw new Error('no')
    }
    await t.rejects(
      changeAccess(db, work, (user_id) => announced.push(user_id)),
      /no/,
    )
    t.strictSame(announced, [])
  })
})

t.test('A forgotten user stays forgotten, even after many others', async (t) => {
  const { user_id: _id, token } = await addMember(organization_id, 'hr')
  t.equal(await me(token), 200)
  await db.updateTable('users').set({ is_active: false }).where('_id', '=', _id).execute()
  t.equal(await me(token), 200, 'remembered')
  app.authenticator.invalidate(_id)
  for (let other = 0; other < 10_001; other++) app.authenticator.invalidate(`${other}`)
  t.equal(await me(token), 401)
})

/** These change nothing that the authenticator reads, or end an old login within a few seconds. */
const harmless = ['deleteOld', 'updateLastSeen', 'updateLastUsed', 'updatePasswordHash']
harmless.push('updateProfiles', 'updateUserVerified')
// Login sessions that have expired a day ago.
harmless.push('expiredSessions')
// Seats expire after an hour. A guest has no login, and without a place the seat finds no session.
harmless.push('expireSeats', 'nameGuest', 'deactivateGuests', 'deleteGuests', 'deleteSeats')
/** Functions whose only caller, just above them, names the user. */
const wrapped = ['upsertCredential']

t.test('Every query that may change access names the users it changes', async (t) => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const functions = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      readFileSync(join('src', file), 'utf8').split(/^(?=export |async |function |const )/m),
    )
  const change = /(?:updateTable|deleteFrom)\('(?:users|login_sessions|credentials|api_keys)'\)/
  const upsert = /insertInto\('(?:users|login_sessions|credentials|api_keys)'\)[\s\S]*doUpdateSet/
  const careless = functions.filter(
    (text) => (change.test(text) || upsert.test(text)) && !text.includes('trx.changed.add('),
  )
  const found = careless.map((text) => /(?:function|const) (\w+)/.exec(text)?.[1])
  t.strictSame(found.sort(), [...harmless, ...wrapped].sort())
})
