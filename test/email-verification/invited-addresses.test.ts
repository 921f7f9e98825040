import { sql } from 'kysely'
import { t } from '../helpers/file.js'
import { lettersOf } from '../helpers/letters.js'
import { startMailbox } from '../helpers/mailbox.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { skipUnlessServer } from '../helpers/skips.js'
import { until } from '../helpers/until.js'
import { rowsOf } from '../helpers/walk.js'

const mailbox = await startMailbox(t)
const service = await startService(t, {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
})
const { call, db } = service
const { addScenario, create, change } = sessionsOf(service)
const { register, linkTo, verify, invite, join } = lettersOf({ call }, mailbox)
const password = 'correct horse battery'
const chosen = 'a password of my own'

const login = async (email: string, password: string) =>
  (await call('login', { body: { email, password } })).status
const accept = (token: string) =>
  call('acceptInvitation', { body: { token, new_password: chosen } })
const statusOf = async ({ token, organization_id }: Member) => {
  const { body } = await call('listInvitations', { token, params: { organization_id } })
  return body.map(({ status }: { status: string }) => status)
}
async function registerVerified(): Promise<Member> {
  const admin = await register()
  await verify(admin, await linkTo(admin.email))
  return admin
}
/** Waits until this number of statements waits for a lock. */
const untilWaiting = (count: number) =>
  until(async () => {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length >= count
  })
const refused = (type: string) => ({
  status: 422,
  body: { detail: [{ loc: ['body', 'token'], type }] },
})

t.test('An address that another organization has invited', async (t) => {
  t.test('goes to who registers with it and proves it, and the invitation ends', async (t) => {
    const stranger = await register()
    const { body: invited } = await invite(stranger)
    const { email, _id } = invited.user
    const owner = await register({ email, password })
    t.strictSame(await statusOf(stranger), ['pending'], 'the address is not verified yet')
    t.equal(await login(email, password), 200)
    t.equal(await login(email, 'another password'), 401)
    t.equal((await verify(owner, await linkTo(email))).status, 204)

    t.strictSame(await statusOf(stranger), ['revoked'])
    t.equal(await login(email, invited.temporary_password), 401)
    t.equal(await login(email, password), 200)
    const [event] = await auditEvents(call, stranger, { event_type: 'invitation_revoked' })
    t.match(event, {
      actor_type: 'system',
      actor_id: null,
      metadata: { user_id: _id, reason: 'address_proven_by_another' },
    })
    const rows = (await rowsOf(db, stranger.organization_id)).join('\n')
    t.notOk(rows.includes(owner.user_id), 'the stranger does not learn whose address it is')
  })

  t.test('goes to who proves it with a link for a new password', async (t) => {
    const stranger = await registerVerified()
    const { body: invited } = await invite(stranger)
    const { email } = invited.user
    const link = await linkTo(email)
    await register({ email, password })
    await linkTo(email, 2)
    await call('requestPasswordReset', { body: { email } })
    const body = { token: await linkTo(email, 3), new_password: chosen }
    t.equal((await call('resetPassword', { body })).status, 204)
    t.strictSame(await statusOf(stranger), ['revoked'])
    t.match(await accept(link), refused('link_revoked'))
    t.equal(await login(email, chosen), 200)
  })

  t.test('lets both log in until one of them has proven it', async (t) => {
    const company = await register()
    const { body: invited } = await invite(company)
    const { email } = invited.user
    const registrant = await register({ email, password })
    t.equal(await login(email, password), 200)
    t.equal(await login(email, invited.temporary_password), 200)
    t.equal(await login(email, 'a wrong password'), 401)
    t.equal((await verify(registrant, await linkTo(email))).status, 204)
    t.equal(await login(email, invited.temporary_password), 401)
    t.equal(await login(email, password), 200)
  })

  t.test(
    'leaves the person who has joined a session of the other organization in it',
    async (t) => {
      const company = await registerVerified()
      const { email, _id: user_id } = (await invite(company)).body.user
      const { scenario_name } = await addScenario(company, [{ content: 'Now', offset_hours: 0 }])
      const { _id } = await create(company, { scenario_name, participants: [{ user_id }] })
      await change('startSession', company, { _id })
      await db
        .updateTable('session_assignments')
        .set({ joined_at: new Date().toISOString() })
        .where('organization_id', '=', company.organization_id)
        .where('session_id', '=', _id)
        .execute()
      const registrant = await register({ email, password })
      t.equal((await verify(registrant, await linkTo(email, 2))).status, 204)
      t.strictSame(await statusOf(company), ['revoked'])
      const { token } = company
      const { body } = await call('listParticipants', { token, params: { session_id: _id } })
      t.match(body, [{ user_id, left_at: null }])
    },
  )

  t.test('stays with a stranger who registers only until the invitation is accepted', async (t) => {
    const company = await registerVerified()
    const { body: invited } = await invite(company)
    const { email } = invited.user
    const stranger = await register({ email, password })
    const verification = await linkTo(email, 2)
    t.match(await accept(await linkTo(email)), { status: 200 })
    t.strictSame(await statusOf(company), ['accepted'])
    t.equal(await login(email, password), 401)
    t.equal(await login(email, chosen), 200)
    t.match(await verify(stranger, verification), refused('other_account'))
    t.equal(await login(email, chosen), 200)
  })

  t.test('goes to the first of two who prove it', { skip: skipUnlessServer }, async (t) => {
    for (const isFirst of ['invited', 'registrant']) {
      const company = await registerVerified()
      const { email, _id: user_id } = (await invite(company)).body.user
      const registrant = await register({ email, password })
      const links = { invited: await linkTo(email), registrant: await linkTo(email, 2) }
      const prove = {
        invited: () => accept(links.invited),
        registrant: () => verify(registrant, links.registrant),
      }
      const isJoined = isFirst === 'invited'
      const answers = await db.transaction().execute(async (trx) => {
        await trx
          .selectFrom('invitations')
          .select('_id')
          .where('user_id', '=', user_id)
          .forUpdate()
          .execute()
        const first = isJoined ? prove.invited() : prove.registrant()
        await untilWaiting(1)
        const second = isJoined ? prove.registrant() : prove.invited()
        await untilWaiting(2)
        return [first, second]
      })
      const [first, second] = await Promise.all(answers)
      t.strictSame([first?.status, second?.status], [isJoined ? 200 : 204, 422])
      t.strictSame(await statusOf(company), [isJoined ? 'accepted' : 'revoked'])
      t.equal(await login(email, isJoined ? chosen : password), 200)
    }
  })
})

t.test('An address is taken', async (t) => {
  const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
  const answer = async (email: string, via = call) => {
    const { status, body } = await via('register', { body: { email, password, ...names } })
    return [status, body.code]
  }
  const taken = [409, 'email_exists']

  t.test('by who has registered with it, and by an invited person who has joined', async (t) => {
    const admin = await register()
    t.strictSame(await answer(admin.email), taken)
    t.strictSame(await answer((await join(admin, 'hr')).email), taken)
  })

  t.test('by an invited person who has logged in', async (t) => {
    const { user, temporary_password } = (await invite(await register())).body
    t.equal(await login(user.email, temporary_password), 200)
    t.strictSame(await answer(user.email), taken)
  })

  t.test('by a second registration of an invited address', async (t) => {
    const { email } = (await invite(await register())).body.user
    await register({ email })
    t.strictSame(await answer(email), taken)
  })

  t.test('by every invited person without mail, because nobody can prove it', async (t) => {
    const { email } = (await invite(await register())).body.user
    const without = await startService(t)
    t.strictSame(await answer(email, without.call), taken)
  })
})
