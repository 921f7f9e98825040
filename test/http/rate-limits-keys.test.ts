import { apiKeyPrefix } from '../../src/identity/authenticator.js'
import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { t } from '../helpers/file.js'
import { type Answer, startService } from '../helpers/service.js'

const environment = { RATE_LIMIT: 'on', TRUST_PROXY: 'on' }
const { call, request, registerAdmin, addMember } = await startService(t, environment)
const admin = await registerAdmin()
const { token, organization_id } = admin
const from = (address: string) => ({ 'x-forwarded-for': address })
const remaining = ({ headers }: Answer) => Number(headers.get('ratelimit-remaining'))
const listAs = (key: string, address: string) =>
  call('listUsers', { headers: { 'x-api-key': key, ...from(address) } })

async function createKey(): Promise<string> {
  const { user_id } = await addMember(organization_id, 'bot')
  const { body } = await call('createApiKey', { token, params: { user_id }, body: { name: 'k' } })
  return body.api_key
}

const inventKey = () => apiKeyPrefix + createOpaqueToken(organization_id).text

/** Uses up the rate of an address for requests without a token. */
async function fill(address: string): Promise<void> {
  let last = 0
  for (let sent = 0; sent < 6000 || last !== 429; sent += 100) {
    const junk = Array.from({ length: 100 }, () => request('/nowhere', { headers: from(address) }))
    for (const { status } of await Promise.all(junk)) last = status
  }
}

t.test('The rate of an API key', async (t) => {
  t.test('is separate from the rate of its address, even when that is used up', async (t) => {
    const here = '203.0.113.1'
    const [known, unseen] = [await createKey(), await createKey()]
    t.equal((await listAs(known, here)).status, 200)
    await fill(here)
    t.equal((await request('/nowhere', { headers: from(here) })).status, 429)
    t.equal((await listAs(known, here)).status, 200)
    const answer = await listAs(unseen, here)
    t.strictSame([answer.status, remaining(answer)], [200, 5999])
    t.equal(remaining(await listAs(unseen, '203.0.113.2')), 5998, 'one rate at all addresses')
    t.equal((await listAs(inventKey(), here)).status, 429)
  })

  t.test('is the rate of the address when the key is invalid', async (t) => {
    const here = '203.0.113.3'
    for (const [i, key] of ['wss_x', 'nonsense', inventKey(), inventKey()].entries()) {
      const answer = await listAs(key, here)
      t.strictSame([answer.status, remaining(answer)], [401, 5999 - i])
    }
  })

  t.test('blocks an address after 300 wrong keys, except for keys that worked there', async (t) => {
    const here = '203.0.113.4'
    const [known, unseen] = [await createKey(), await createKey()]
    t.equal((await listAs(known, here)).status, 200)
    for (let i = 0; i < 300; i++) t.equal((await listAs(inventKey(), here)).status, 401)
    const refused = await listAs(inventKey(), here)
    t.match(refused, { status: 429, body: { code: 'rate_limited' } })
    t.match(refused.headers.get('retry-after'), /^[1-9]\d*$/)
    t.equal((await listAs(unseen, here)).status, 429)
    t.equal((await listAs(known, here)).status, 200)
    t.equal((await listAs(unseen, '203.0.113.5')).status, 200)
  })
})

t.test('All sessions of a person share one rate', async (t) => {
  const { email, password } = admin
  const { body } = await call('login', { body: { email, password } })
  const [first, second] = [
    remaining(await call('listUsers', { token })),
    remaining(await call('listUsers', { token: body.access_token })),
  ]
  t.equal(second, first - 1)
})
