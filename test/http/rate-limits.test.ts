import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'
import { t } from '../helpers/file.js'
import { type Answer, startService } from '../helpers/service.js'

const environment = { RATE_LIMIT: 'on', TRUST_PROXY: 'on', BODY_LIMIT: '1024' }
const { app, url, call, registerAdmin, addMember } = await startService(t, environment)
const admin = await registerAdmin()
const { token, organization_id } = admin
const params = { organization_id }
const limits = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)))
const from = (address: string) => ({ 'x-forwarded-for': address })

t.test('A body', async (t) => {
  const refusal = { detail: 'Request body is too large', code: 'payload_too_large' }
  const padded = (bytes: number) => `{"company_name":"Acme"}`.padEnd(bytes)

  t.test('may have BODY_LIMIT bytes and no more', async (t) => {
    const update = (rawBody: string) => call('updateBranding', { token, params, rawBody })
    t.equal((await update(padded(1024))).status, 200)
    const { status, body } = await update(padded(1025))
    t.equal(status, 413)
    t.strictSame(body, refusal)
  })

  t.test('is also cut off when it does not announce its length', async (t) => {
    const response = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([padded(5000)]).stream(),
      duplex: 'half',
    } as RequestInit)
    t.equal(response.status, 413)
    t.strictSame(await response.json(), refusal)
  })

  t.test('is measured in bytes, not in characters', async (t) => {
    const rawBody = `{"company_name":"${'é'.repeat(510)}"}`
    t.ok(rawBody.length < 1024)
    t.equal((await call('updateBranding', { token, params, rawBody })).status, 413)
  })
})

t.test('The rate limits', async (t) => {
  t.test('are in every answer, separately for each token', async (t) => {
    const { token: other } = await addMember(organization_id, 'hr')
    const [first, second] = [
      limits(await call('listUsers', { token: other })),
      limits(await call('updateBranding', { token: other, params, body: {} })),
    ]
    t.strictSame([first[0], first[1], second[0], second[1]], [6000, 5999, 6000, 5998])
    t.ok(first[2] && first[2] > 0 && first[2] <= 60)
    const [, remaining = 0] = limits(await call('listUsers', { token }))
    t.ok(remaining < 5998)
  })

  t.test('count the addresses of an IPv6 network of 56 bits together', async (t) => {
    const remaining = []
    for (const address of ['2001:db8:1:200::1', '2001:db8:1:2ff:ffff::9', '2001:db8:1:300::1']) {
      remaining.push(limits(await call('listUsers', { headers: from(address) }))[1])
    }
    t.strictSame(remaining, [5999, 5998, 5999])
  })

  t.test('count refusals of every kind', async (t) => {
    const headers = { ...from('203.0.113.9'), authorization: 'Bearer nonsense' }
    const remaining = []
    for (const answer of [
      await call('listUsers', { headers }),
      await call('updateBranding', { headers, params, body: 7 }),
      await call('listAuditEvents', { headers, params }),
    ]) {
      t.equal(answer.status, 401)
      remaining.push(limits(answer)[1])
    }
    t.strictSame(remaining, [5999, 5998, 5997])
  })

  t.test('do not count probes', async (t) => {
    for (const path of ['/health', '/ready']) {
      const response = await fetch(url + path)
      t.equal(response.status, 200)
      t.notOk(response.headers.has('ratelimit-limit'))
    }
  })
})

function expectRefusal(t: Pick<TAP, 'equal' | 'strictSame' | 'ok'>, answer: Answer, max: number) {
  t.equal(answer.status, 429)
  t.strictSame(answer.body, { detail: 'Too many requests', code: 'rate_limited' })
  const wait = Number(answer.headers.get('retry-after'))
  t.ok(Number.isInteger(wait) && wait > 0 && wait <= max)
}
type TAP = typeof t

t.test('A login', async (t) => {
  const here = from('198.51.100.1')
  const login = (email: string, password: string, headers = here) =>
    call('login', { headers, body: { email, password } })

  t.test('is refused after ten failures, even with the right password', async (t) => {
    const member = await registerAdmin()
    for (let failure = 1; failure <= 10; failure++) {
      t.equal((await login(member.email, 'not the password')).status, 401)
    }
    expectRefusal(t, await login(member.email, 'not the password'), 900)
    expectRefusal(t, await login(member.email, member.password), 900)
    expectRefusal(t, await login(` ${member.email.toUpperCase()}`, member.password), 900)

    t.equal((await login(admin.email, admin.password)).status, 200)
    t.equal((await login(member.email, member.password, from('198.51.100.2'))).status, 200)
  })

  t.test('is limited in the same way when the account does not exist', async (t) => {
    const email = `${randomUUID()}@example.com`
    for (let failure = 1; failure <= 10; failure++) {
      t.equal((await login(email, 'not the password')).status, 401)
    }
    expectRefusal(t, await login(email, 'not the password'), 900)
  })

  t.test('has no more guesses in a concurrent burst than in sequence', async (t) => {
    const member = await registerAdmin()
    const guesses = Array.from({ length: 30 }, () => login(member.email, 'not the password'))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    t.equal(statuses.filter((status) => status === 401).length, 10)
    t.equal(statuses.filter((status) => status === 429).length, 20)
    expectRefusal(t, await login(member.email, member.password), 900)
  })

  t.test('uses up no guesses in a concurrent burst with the right password', async (t) => {
    const member = await registerAdmin()
    const logins = Array.from({ length: 30 }, () => login(member.email, member.password))
    const answers = await Promise.all(logins)
    t.ok(answers.filter(({ status }) => status === 200).length >= 10)
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(t, refused, 1)
    }
    t.equal((await login(member.email, member.password)).status, 200)
  })

  t.test('shares its ten guesses with changePassword', async (t) => {
    const member = await registerAdmin()
    const guess = { current_password: 'not the password', new_password: 'a new password' }
    const change = () => call('changePassword', { token: member.token, headers: here, body: guess })
    for (let failure = 1; failure <= 6; failure++) t.equal((await change()).status, 422)
    for (let failure = 1; failure <= 4; failure++) {
      t.equal((await login(member.email, 'not the password')).status, 401)
    }
    expectRefusal(t, await change(), 900)
    expectRefusal(t, await login(member.email, member.password), 900)
  })

  t.test('does not count when it succeeds', async (t) => {
    const member = await registerAdmin()
    for (let success = 1; success <= 12; success++) {
      t.equal((await login(member.email, member.password)).status, 200)
    }
  })
})

t.test('A registration is refused after 300 tries in a minute from one address', async (t) => {
  const register = (address: string) => call('register', { headers: from(address), body: {} })
  const here = '192.0.2.1'
  const statuses = new Set<number>()
  for (let round = 0; round < 6; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(here)))
    for (const { status } of answers) statuses.add(status)
  }
  t.strictSame([...statuses], [422])
  const refused = await register(here)
  expectRefusal(t, refused, 60)
  t.strictSame(limits(refused).slice(0, 2), [300, 0])

  t.equal((await register('192.0.2.2')).status, 422)
  const credentials = { email: admin.email, password: admin.password }
  t.equal((await call('login', { headers: from(here), body: credentials })).status, 200)
})

t.test('Password hashing has a queue of limited length', async (t) => {
  const storm = '192.0.2.250'
  let isOver = false
  let refused = 0
  async function hashAgainAndAgain() {
    while (!isOver) {
      await app.passwords.hash('a password', storm).catch(() => {
        refused++
        return turn()
      })
    }
  }
  // The queue has 1,000 places. It stays full until all answers are in.
  const hashing = Promise.all(
    Array.from({ length: 1_000 + 8 * availableParallelism() }, hashAgainAndAgain),
  )
  t.teardown(() => {
    isOver = true
  })
  const login = (ip: string, email: string) =>
    call('login', { headers: from(ip), body: { email, password: 'x' } })
  const logins = Array.from({ length: 20 }, (_, index) => login(storm, `a${index}@b`))
  const others = Array.from({ length: 40 }, (_, index) => login(`192.0.2.${index}`, 'a@b'))

  t.test('that delays no other requests', async (t) => {
    t.equal((await call('listUsers', { token })).status, 200)
  })

  t.test('in which another address takes turns with the busy one', async (t) => {
    for (const { status } of await Promise.all(others)) t.equal(status, 401)
  })

  t.test('and refuses requests when it is full', async (t) => {
    const answers = await Promise.all(logins)
    const busy = answers.filter(({ status }) => status === 503)
    t.ok(busy.length > 0)
    t.equal(answers.filter(({ status }) => status === 401).length, 20 - busy.length)
    for (const { headers, body } of busy) {
      t.match(headers.get('retry-after'), /^[1-9]\d*$/)
      t.strictSame(body, { detail: 'Service temporarily unavailable', code: 'unavailable' })
    }
    isOver = true
    await hashing
    t.ok(refused > 0)
    const { email, password } = admin
    t.equal((await call('login', { body: { email, password } })).status, 200)
  })
})
