import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Answer, startService } from '../helpers/service.js'

const limited = (TRUST_PROXY: string) =>
  startService(t, { RATE_LIMIT: 'on', LOG_LEVEL: 'info', TRUST_PROXY })
const off = await limited('off')
const on = await limited('on')
const two = await limited('2')
const named = await limited('loopback, 10.0.0.0/8')
type Service = typeof off
const from = (address: string) => ({ 'x-forwarded-for': address })
const remaining = ({ headers }: Answer) => Number(headers.get('ratelimit-remaining'))

/** Returns which of these values of X-Forwarded-For count as the same client as the first one. */
async function sameAsFirst({ request }: Service, [first = '', ...others]: string[]) {
  const ask = async (forwarded: string) =>
    remaining(await request('/nowhere', { headers: from(forwarded) }))
  const same = []
  let left = await ask(first)
  for (const forwarded of others) {
    if ((await ask(forwarded)) !== left - 1) continue
    left--
    same.push(forwarded)
  }
  return same
}

t.test('TRUST_PROXY=on', async (t) => {
  t.test('takes the address that the proxy has added, and not those before it', async (t) => {
    const email = `${createId()}@example.com`
    const statuses = []
    for (let i = 0; i < 12; i++) {
      const headers = from(`10.1.${i}.7, 203.0.113.5`)
      const body = { email, password: 'not the password' }
      statuses.push((await on.call('login', { headers, body })).status)
    }
    t.strictSame(statuses, [...Array(10).fill(401), 429, 429])
  })

  t.test('does not count the port of a client', async (t) => {
    const ipv4 = [
      '203.0.113.7',
      '203.0.113.7:50001',
      '"203.0.113.7:50002"',
      '1.1.1.1,203.0.113.7:3',
    ]
    t.strictSame(await sameAsFirst(on, ipv4), ipv4.slice(1))
    const ipv6 = ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443', '"[2001:db8::9]:444"']
    t.strictSame(await sameAsFirst(on, ipv6), ipv6.slice(1))
    t.strictSame(await sameAsFirst(on, ['203.0.113.8:1', '203.0.113.9:1']), [])
  })

  t.test('logs the address without its port', async (t) => {
    const id = createId()
    await on.request('/nowhere', { headers: { ...from('203.0.113.10:7'), 'x-request-id': id } })
    const line = on.log.find((text) => text.includes(id)) ?? '{}'
    t.match(JSON.parse(line), { ip: '203.0.113.10', status: 404 })
  })
})

t.test('getInvitation is limited for a client whose port changes', async (t) => {
  const ask = (port: number) =>
    on.call('getInvitation', { headers: from(`203.0.113.11:${port}`), body: { token: 'unknown' } })
  const statuses = []
  for (let round = 0; round < 6; round++) {
    const asked = Array.from({ length: 55 }, (_, i) => ask(1_000 * round + i))
    statuses.push(...(await Promise.all(asked)).map(({ status }) => status))
  }
  t.equal(statuses.filter((status) => status === 422).length, 300)
  t.equal(statuses.filter((status) => status === 429).length, 30)
})

t.test('TRUST_PROXY=2 takes the address before the last one', async (t) => {
  const values = [
    '203.0.113.7, 192.0.2.1',
    '1.1.1.1, 203.0.113.7:5, 192.0.2.2:6',
    '203.0.113.9, 192.0.2.1',
  ]
  t.strictSame(await sameAsFirst(two, values), [values[1]])
})

t.test('Named proxies are recognized with a port, too', async (t) => {
  const values = ['203.0.113.7', '1.1.1.1, 203.0.113.7:5, 10.0.0.2:6', '203.0.113.9, 10.0.0.2']
  t.strictSame(await sameAsFirst(named, values), [values[1]])
})

t.test('TRUST_PROXY=off ignores the header, and warns about it once', async (t) => {
  const values = ['203.0.113.7', '203.0.113.9']
  t.strictSame(await sameAsFirst(off, values), [values[1]])
  const warnings = off.log.filter((line) => line.includes('TRUST_PROXY is off'))
  t.equal(warnings.length, 1)
  t.strictSame(
    on.log.filter((line) => line.includes('TRUST_PROXY')),
    [],
  )
})
