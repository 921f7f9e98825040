import { t } from '../helpers/file.js'
import { lettersOf, newEmail } from '../helpers/letters.js'
import { startMailbox } from '../helpers/mailbox.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const mailbox = await startMailbox(t)
const mailSettings = {
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'mail@service.example',
  APP_URL: 'https://app.example',
}
const { call, ...service } = await startService(t, mailSettings)
const { register, linkTo, verify, invite, join } = lettersOf({ call }, mailbox)
const chosen = 'a password of my own'

const login = (email: string, password: string) => call('login', { body: { email, password } })
/** The status of a request of a person or a bot. */
const read = async (token: string, organization_id: string) =>
  (await call('getOrganization', { token, params: { organization_id } })).status

/** What a stranger prepares: another admin, a person who is still invited, and a bot with a key. */
async function prepare(registrant: Member) {
  const { token, organization_id } = registrant
  const second = await join(registrant, 'admin')
  const { body: invited } = await invite(registrant, 'admin')
  const bot = await service.addMember(organization_id, 'bot')
  const key = { token, params: { user_id: bot.user_id }, body: { name: 'Spy' } }
  const { body } = await call('createApiKey', key)
  return { second, invited, bot, key: body }
}

/** Sets a new password with the link in a letter, and logs in with it. */
async function resetPassword(registrant: Member, letter: number): Promise<Member> {
  const { email } = registrant
  await call('requestPasswordReset', { body: { email } })
  const body = { token: await linkTo(email, letter), new_password: chosen }
  const { status } = await call('resetPassword', { body })
  if (status !== 204) throw new Error(`resetPassword answered ${status}`)
  return { ...registrant, token: (await login(email, chosen)).body.access_token }
}

t.test('resetPassword of the registrant', async (t) => {
  t.test('ends what others have prepared in an organization that is not verified', async (t) => {
    const stranger = await register()
    const { organization_id, email } = stranger
    const verification = await linkTo(email)
    const { second, invited, bot, key } = await prepare(stranger)
    for (const token of [second.token, key.api_key]) {
      t.equal(await read(token, organization_id), 200)
    }

    const owner = await resetPassword(stranger, 2)
    for (const token of [stranger.token, second.token, key.api_key]) {
      t.equal(await read(token, organization_id), 401)
    }
    t.equal((await login(second.email, 'another horse, another battery')).status, 401)
    t.equal((await login(invited.user.email, invited.temporary_password)).status, 401)

    const { token } = owner
    const { body: users } = await call('listUsers', { token, query: { is_active: 'true' } })
    const ids = users.map(({ _id }: { _id: string }) => _id)
    t.strictSame(ids.sort(), [owner.user_id, bot.user_id].sort())
    const { body: invitations } = await call('listInvitations', {
      token,
      params: { organization_id },
    })
    t.match(invitations, [{ status: 'revoked' }, { status: 'accepted' }])
    const keys = await call('listApiKeys', { token, params: { user_id: bot.user_id } })
    t.strictSame(keys.body, [])

    const expected = {
      invitation_revoked: { user_id: invited.user._id },
      user_deactivated: { user_id: second.user_id, changes: { is_active: { to: false } } },
      api_key_revoked: { user_id: bot.user_id, api_key_id: key._id },
    }
    for (const [event_type, metadata] of Object.entries(expected)) {
      const events = await auditEvents(call, owner, { event_type })
      t.match(events, [{ actor_type: 'user', actor_id: owner.user_id, metadata }])
    }
    t.equal((await verify(owner, verification)).status, 204)
    t.equal((await invite(owner)).status, 201)
  })

  t.test('leaves no request under way that gives a stranger another access', async (t) => {
    const stranger = await register()
    const { organization_id } = stranger
    const { second, bot } = await prepare(stranger)
    // As another process, which knows of the new password 5 seconds later.
    const other = await startService(t, mailSettings)
    const { token, user_id } = second
    t.equal(
      (await other.call('getOrganization', { token, params: { organization_id } })).status,
      200,
    )
    await resetPassword(stranger, 2)

    const late = { token, params: { organization_id, user_id } }
    const invitation = { first_name: 'Tom', last_name: 'Herrera', access_level: 'admin' }
    const requests = {
      inviteMember: { ...late, body: { ...invitation, email: newEmail() } },
      updateUser: { ...late, body: { is_active: true } },
      createApiKey: { token, params: { user_id: bot.user_id }, body: { name: 'Spy' } },
    }
    for (const [operationId, request] of Object.entries(requests)) {
      const { status } = await other.call(operationId as 'updateUser', request)
      t.equal(status, 401, operationId)
    }
    t.equal((await login(second.email, 'another horse, another battery')).status, 401)
  })

  t.test('changes nothing for a registrant who is no admin any more', async (t) => {
    const registrant = await register()
    const { organization_id, email, user_id } = registrant
    const second = await join(registrant, 'admin')
    const { token } = await service.addMember(organization_id, 'super_admin')
    await call('updateUser', { token, params: { user_id }, body: { role: 'employee' } })
    await call('requestPasswordReset', { body: { email } })
    t.equal(await read(second.token, organization_id), 200)
    t.equal((await call('resendVerification', { token: second.token })).status, 200)
    t.equal((await verify(second, await linkTo(second.email))).status, 204)
  })

  t.test('changes nothing where no link was sent, because mail was set up later', async (t) => {
    const registrant = await service.registerAdmin()
    const { organization_id, email } = registrant
    const { db } = service
    await db
      .updateTable('organizations')
      .set({ verified_at: null })
      .where('_id', '=', organization_id)
      .execute()
    const second = await join(registrant, 'admin')
    await call('requestPasswordReset', { body: { email } })
    const body = { token: await linkTo(email), new_password: chosen }
    t.equal((await call('resetPassword', { body })).status, 204)
    t.equal(await read(second.token, organization_id), 200)
  })

  t.test('leaves a verified organization as it is', async (t) => {
    const registrant = await register()
    const { organization_id, email } = registrant
    const { second, invited, key } = await prepare(registrant)
    await verify(registrant, await linkTo(email))
    await resetPassword(registrant, 2)
    for (const token of [second.token, key.api_key]) {
      t.equal(await read(token, organization_id), 200)
    }
    t.equal((await login(invited.user.email, invited.temporary_password)).status, 200)
  })
})

t.test('updateUser of the registrant', async (t) => {
  const update = ({ token }: Pick<Member, 'token'>, user_id: string, body: object) =>
    call('updateUser', { token, params: { user_id }, body })
  const changes = [{ is_active: false }, { role: 'employee' }]

  t.test('keeps them an active admin until the organization is verified', async (t) => {
    const registrant = await register()
    const verification = await linkTo(registrant.email)
    const second = await join(registrant, 'admin')
    const refused = { status: 409, body: { code: 'registrant_unverified' } }
    for (const caller of [second, registrant]) {
      for (const change of changes) {
        t.match(await update(caller, registrant.user_id, change), refused, JSON.stringify(change))
      }
    }
    t.equal((await update(second, registrant.user_id, { bio: 'Away' })).status, 200)
    t.equal((await update(registrant, second.user_id, { role: 'hr' })).status, 200)
    t.equal((await update(registrant, second.user_id, { role: 'admin' })).status, 200)

    await verify(registrant, verification)
    t.equal((await update(second, registrant.user_id, { role: 'employee' })).status, 200)
    t.equal((await update(second, registrant.user_id, { is_active: false })).status, 200)
  })

  t.test('lets a super admin change them at any time', async (t) => {
    const registrant = await register()
    await join(registrant, 'admin')
    const operator = await service.addMember(registrant.organization_id, 'super_admin')
    for (const change of changes) {
      t.equal((await update(operator, registrant.user_id, change)).status, 200)
    }
  })
})
