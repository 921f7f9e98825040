import { startAnotherProcess } from '../helpers/another-process.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t)

const login = async ({ email, password }: Pick<Member, 'email' | 'password'>) =>
  (await call('login', { body: { email, password } })).body
const refresh = (refresh_token: unknown) => call('refreshToken', { body: { refresh_token } })
const me = async (token: string) => (await call('getCurrentUser', { token })).status

const other = await startAnotherProcess(t, db)

t.test('logout', async (t) => {
  const all = { all: true }
  for (const [description, body] of [
    ['ends this session and no other', {}],
    ['ends every session of the caller with all=true', all],
  ] as const) {
    t.test(`${description}: here at once, in other processes after the next check`, async (t) => {
      const admin = await registerAdmin()
      const [here, there] = [await login(admin), await login(admin)]
      const colleague = await login(await registerAdmin())
      for (const { access_token } of [here, there]) t.equal(await other.me(access_token), 200)
      t.equal(await me(there.access_token), 200)

      const answer = await call('logout', { token: here.access_token, body })
      t.strictSame([answer.status, answer.body], [204, ''])
      other.forget(admin.user_id)
      const rest = body === all ? 401 : 200
      for (const [grant, status] of [
        [here, 401],
        [there, rest],
        [colleague, 200],
      ] as const) {
        t.equal(await me(grant.access_token), status)
        t.equal(await other.me(grant.access_token), status)
        t.equal((await refresh(grant.refresh_token)).status, status)
      }
      t.equal((await call('logout', { token: here.access_token, body })).status, 401)
      t.match(await auditEvents(call, { ...admin, token: (await login(admin)).access_token }), [
        { event_type: 'user_logged_in' },
        {
          event_type: 'user_logged_out',
          actor_id: admin.user_id,
          metadata: { all: body === all },
        },
      ])
    })
  }

  t.test('accepts all only as a boolean, and needs no body', async (t) => {
    const { token } = await registerAdmin()
    t.match((await call('logout', { token, body: { all: 'true' } })).body.detail, [
      { loc: ['body', 'all'], type: 'bool_type' },
    ])
    t.equal(await me(token), 200)
    t.equal((await call('logout', { token })).status, 204)
    t.equal(await me(token), 401)
    const otherToken = (await registerAdmin()).token
    t.equal((await call('logout', { token: otherToken, rawBody: '' })).status, 204)
    t.equal(await me(otherToken), 401)
  })
})
