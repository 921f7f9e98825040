import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpRequest, jsonRequest } from '../client.js'
import { withNewDatabases } from '../database/connections.js'
import { type Side, startService } from '../processes.js'
import { defineScenario } from '../scenario.js'

const password = 'correct horse battery staple'
const environment = { RATE_LIMIT: 'on', TRUST_PROXY: 'on' }

interface Answer {
  status: number
  body: { access_token?: string; organization_id?: string; temporary_password?: string }
}

/** Sends a request as a reverse proxy passes it on, from this address or these addresses. */
async function sendFrom(url: string, address: string, request: HttpRequest): Promise<Answer> {
  const { method, path, body } = request
  const headers = { ...request.headers, 'x-forwarded-for': address }
  const response = await fetch(url + path, { method, headers, ...(body && { body }) })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text) }
}

const registration = (email: string) =>
  jsonRequest('POST', '/api/v1/auth/register', {
    ...{ email, password, organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' },
  })
const login = (email: string, secret: string) =>
  jsonRequest('POST', '/api/v1/auth/login', { email, password: secret })
const someEmail = () => `${randomUUID()}@strangers.example`

/** Registers an admin from an address of their own. */
async function registerHonest(url: string): Promise<string> {
  const email = someEmail()
  const { status } = await sendFrom(url, '198.51.100.1', registration(email))
  if (status !== 201) throw new Error(`The registration answered ${status}`)
  return email
}

/** Logs in 28 times while 75 addresses guess without a pause. Returns how often that was refused. */
async function refusedLogins({ url }: Side): Promise<number> {
  const email = await registerHonest(url)
  let isOver = false
  const storm = Array.from({ length: 75 }, async (_, i) => {
    while (!isOver) await sendFrom(url, `10.9.${i}.1`, login(someEmail(), 'a guess'))
  })
  await sleep(1_500)
  let refused = 0
  for (let i = 0; i < 28; i++) {
    const { status } = await sendFrom(url, `198.51.100.${i}`, login(email, password))
    if (status !== 200) refused++
  }
  isOver = true
  await Promise.all(storm)
  return refused
}

/** Returns how many wrong passwords were tried, and not refused before. */
async function triedPasswords({ url }: Side, attempts: { address: string; email: string }[]) {
  let tried = 0
  for (const { address, email } of attempts) {
    const { status } = await sendFrom(url, address, login(email, 'not the password'))
    if (status === 401) tried++
  }
  return tried
}

const forAllAccounts = () =>
  Array.from({ length: 120 }, () => ({ address: '203.0.113.1', email: someEmail() }))
const withInventedAddresses = (email: string) =>
  Array.from({ length: 40 }, (_, i) => ({ address: `10.1.${i}.7, 203.0.113.2`, email }))
const withPorts = (email: string) =>
  Array.from({ length: 25 }, (_, i) => ({ address: `203.0.113.3:${50_000 + i}`, email }))

/** Opens event streams, and returns a function that counts those that are still open. */
async function openStreams({ url }: Side, count: number, address: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address }
  let open = 0
  const opened = Array.from({ length: count }, () => {
    return new Promise<void>((resolve) => {
      get(`${url}/api/v1/simulation/events`, { headers }, (response) => {
        if (response.statusCode === 200) open++
        response.on('close', () => open--).resume()
        resolve()
      }).on('error', () => resolve())
    })
  })
  await Promise.all(opened)
  return () => open
}

/** Returns the tokens of two admins of a new organization, because a user has at most 20 streams. */
async function twoAdmins(url: string, address: string): Promise<string[]> {
  const { body: first } = await sendFrom(url, address, registration(someEmail()))
  const token = first.access_token ?? ''
  const person = { first_name: 'Tom', last_name: 'Herrera', email: someEmail() }
  const path = `/api/v1/users/invite/${first.organization_id}`
  const invitation = jsonRequest('POST', path, { ...person, access_level: 'admin' }, token)
  const { body: invited } = await sendFrom(url, address, invitation)
  const temporary = invited.temporary_password ?? ''
  const { body: entry } = await sendFrom(url, address, login(person.email, temporary))
  const change = { current_password: temporary, new_password: password }
  const changed = await sendFrom(
    url,
    address,
    jsonRequest('POST', '/api/v1/auth/change-password', change, entry.access_token),
  )
  return [token, changed.body.access_token ?? '']
}

/** Returns how many of 40 streams an organization loses to 200 organizations of one address. */
async function lostStreams(side: Side): Promise<{ lost: number; organizations: number }> {
  const { url } = side
  const [honest, stranger] = ['198.51.100.1', '203.0.113.4']
  const counts: (() => number)[] = []
  for (const token of await twoAdmins(url, honest)) {
    counts.push(await openStreams(side, 20, honest, token))
  }
  let organizations = 0
  for (let i = 0; i < 200; i++) {
    const { status, body } = await sendFrom(url, stranger, registration(someEmail()))
    if (status !== 201) continue
    organizations++
    await openStreams(side, 20, stranger, body.access_token ?? '')
  }
  await sleep(1_000)
  const stillOpen = counts.reduce((sum, count) => sum + count(), 0)
  return { lost: 40 - stillOpen, organizations }
}

export const strangers = defineScenario({
  name: 'strangers',
  question: 'What can one stranger with many addresses or organizations take from others?',
  goals: {
    'logins of others refused, of 28': { atMost: 0 },
    'wrong passwords tried, one address, of 120': { atMost: 100 },
    'the same, one account, invented addresses, of 40': { atMost: 10 },
    'the same, one account, a port each, of 25': { atMost: 10 },
    'organizations of one address, of 200': { atMost: 100 },
    'streams of another organization lost, of 40': { atMost: 0 },
  },
  run: ({ options, database }) =>
    withNewDatabases([database.url], `workplace_bench_strangers_${process.pid}`, async ([url]) => {
      const place = { databaseUrl: url ?? '' }
      const side = await startService(place, { from: options.service, environment })
      const work = async () => {
        const refused = await refusedLogins(side)
        const all = await triedPasswords(side, forAllAccounts())
        const invented = await triedPasswords(side, withInventedAddresses(someEmail()))
        const ports = await triedPasswords(side, withPorts(someEmail()))
        const { lost, organizations } = await lostStreams(side)
        return {
          title: 'One process; requests name their address as a proxy would',
          rows: [],
          figures: {
            'logins of others refused, of 28': refused,
            'wrong passwords tried, one address, of 120': all,
            'the same, one account, invented addresses, of 40': invented,
            'the same, one account, a port each, of 25': ports,
            'organizations of one address, of 200': organizations,
            'streams of another organization lost, of 40': lost,
          },
        }
      }
      return work().finally(() => side.stop())
    }),
})
