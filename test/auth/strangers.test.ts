import { createId } from '../../src/formats/identifiers.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { type Answer, startService } from '../helpers/service.js'

const environment = { RATE_LIMIT: 'on', TRUST_PROXY: 'on' }
const { app, call, request, registerAdmin } = await startService(t, environment)
const admin = await registerAdmin()
/** Other files count the failures of other addresses in the same database. */
const from = (address: string) => ({ 'x-forwarded-for': address })
const unknownSecret = () => createOpaqueToken(admin.organization_id).text

/** Counts how often a password is hashed from now on. */
function countHashes() {
  const { hash, verify } = app.passwords
  let count = 0
  const counted =
    <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
    (...given: Given) => {
      count++
      return work(...given)
    }
  Object.assign(app.passwords, { hash: counted(hash), verify: counted(verify) })
  return {
    count: () => count,
    stop: () => Object.assign(app.passwords, { hash, verify }),
  }
}

function expectRefusal({ status, headers, body }: Answer, atLeast: number): void {
  t.match({ status, body }, { status: 429, body: { code: 'rate_limited' } })
  t.ok(Number(headers.get('retry-after')) > atLeast)
}

t.test('From this machine, which may be a proxy, there may be more wrong passwords', async (t) => {
  const guess = () => call('login', { body: { email: `${createId()}@x.example`, password: 'x' } })
  for (let round = 0; round < 11; round++) {
    for (const { status } of await Promise.all(Array.from({ length: 10 }, guess))) {
      t.equal(status, 401)
    }
  }
})

t.test('From one address', async (t) => {
  t.test('a hundred wrong passwords end all logins for a while, without a hash', async (t) => {
    const here = '198.18.1.1'
    const login = (email: string, password: string, address = here) =>
      call('login', { headers: from(address), body: { email, password } })
    const guess = () => login(`${createId()}@example.com`, 'not the password')
    for (let round = 0; round < 11; round++) {
      for (const { status } of await Promise.all(Array.from({ length: 9 }, guess))) {
        t.equal(status, 401)
      }
      const { status } = await login(admin.email, admin.password)
      t.equal(status, 200, 'a right password does not count')
    }
    t.equal((await guess()).status, 401)

    const hashes = countHashes()
    expectRefusal(await guess(), 800)
    expectRefusal(await login(admin.email, admin.password), 800)
    t.equal(hashes.count(), 0)
    hashes.stop()
    t.equal((await login(admin.email, admin.password, '198.18.1.2')).status, 200)
    const { token } = admin
    const body = { current_password: admin.password, new_password: admin.password }
    const known = await call('changePassword', { token, headers: from(here), body })
    t.match(known, { status: 422, body: { detail: [{ type: 'same_password' }] } })
  })

  t.test('of an IPv6 network of 56 bits, wrong passwords count together', async (t) => {
    const email = `${createId()}@example.com`
    const guess = async (address: string) =>
      (await call('login', { headers: from(address), body: { email, password: 'x' } })).status
    for (let i = 0; i < 10; i++) t.equal(await guess(`2001:db8:1:10${i}::1`), 401)
    t.equal(await guess('2001:db8:1:1ff::1'), 429)
    t.equal(await guess('2001:db8:1:200::1'), 401, 'but not those of another one')
  })

  t.test('an unknown link to an account costs no hash', async (t) => {
    const hashes = countHashes()
    for (const operation of ['acceptInvitation', 'resetPassword'] as const) {
      const body = { token: unknownSecret(), new_password: 'a new password' }
      t.match(await call(operation, { headers: from('198.18.1.3'), body }), {
        status: 422,
        body: { detail: [{ type: 'link_unknown' }] },
      })
    }
    t.equal(hashes.count(), 0)
    hashes.stop()
  })

  t.test('300 refreshes a minute are looked up, also with tokens that work', async (t) => {
    const here = '198.18.1.4'
    const refresh = (refresh_token: string, address = here) =>
      call('refreshToken', { headers: from(address), body: { refresh_token } })
    const logIn = async () => {
      const { email, password } = admin
      const { body } = await call('login', { body: { email, password } })
      return body.refresh_token
    }
    const guess = async () => (await refresh(unknownSecret())).status
    const { body } = await refresh(await logIn())
    t.equal((await refresh(body.refresh_token)).status, 200)
    const statuses = []
    for (let round = 0; round < 8; round++) {
      statuses.push(...(await Promise.all(Array.from({ length: 40 }, guess))))
    }
    t.equal(statuses.filter((status) => status === 401).length, 298)
    t.equal(statuses.filter((status) => status === 429).length, 22)
    const unused = await logIn()
    expectRefusal(await refresh(unused), 0)
    t.equal((await refresh(unused, '198.18.1.5')).status, 200)
  })

  t.test('300 logins a minute are tried, also with the right password', async (t) => {
    const here = { ...from('198.18.1.6'), 'content-type': 'application/json' }
    const login = () => request('/api/v1/auth/login', { method: 'POST', headers: here, body: '{}' })
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 30 }, login))
      for (const { status } of answers) t.equal(status, 422)
    }
    const { email, password } = admin
    const right = { body: { email, password } }
    expectRefusal(await call('login', { ...right, headers: from('198.18.1.6') }), 0)
    t.equal((await call('login', { ...right, headers: from('198.18.1.7') })).status, 200)
  })
})

t.test('Registrations', async (t) => {
  const register = (
    service: typeof limited,
    address: string | null,
    email = `${createId()}@x.example`,
  ) =>
    service.call('register', {
      headers: address === null ? {} : from(address),
      body: {
        ...{ email, password: 'correct horse battery staple', organization_name: 'Acme' },
        ...{ first_name: 'Ada', last_name: 'Okafor' },
      },
    })
  const limited = await startService(t, { ...environment, REGISTRATIONS_PER_DAY: '3' })

  t.test('are limited a day and network, also those that are refused', async (t) => {
    const statuses = []
    for (const email of [undefined, admin.email, undefined]) {
      statuses.push((await register(limited, '198.18.1.1', email)).status)
    }
    t.strictSame(statuses, [201, 409, 201])
    expectRefusal(await register(limited, '198.18.1.1'), 23 * 3600)
    t.equal((await register(limited, '198.18.1.2')).status, 201)
  })

  t.test('are counted by IPv6 networks of 48 bits', async (t) => {
    for (const address of ['2001:db8:2:1::1', '2001:db8:2:100::1', '2001:db8:2:ff00::1']) {
      t.equal((await register(limited, address)).status, 201)
    }
    expectRefusal(await register(limited, '2001:db8:2:200::1'), 23 * 3600)
    t.equal((await register(limited, '2001:db8:3::1')).status, 201)
  })

  t.test('from this machine are not limited', async (t) => {
    for (const address of [null, '127.0.0.9', '::1', '::ffff:127.0.0.1']) {
      for (let i = 0; i < 4; i++) t.equal((await register(limited, address)).status, 201)
    }
  })

  t.test('are refused with REGISTRATION=off, before their body is checked', async (t) => {
    const closed = await startService(t, { REGISTRATION: 'off' })
    const refusal = { status: 403, body: { code: 'registration_closed' } }
    t.match(await register(closed, null), refusal)
    t.match(await closed.call('register', { body: { email: 7 } }), refusal)
    t.match(await closed.call('register', { rawBody: '{' }), refusal)
  })
})
