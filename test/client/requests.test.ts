import { type ApiError, createClient, type Tokens } from '../../src/client/client.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { url, registerAdmin } = service

/** Opens a client with an expired access token. It records its requests and new tokens. */
async function openLogin(sendRefresh = fetch) {
  const { email, password } = await registerAdmin()
  const sent: string[] = []
  const stored: Tokens[] = []
  const ends: ApiError[] = []
  const client = createClient({
    baseUrl: url,
    fetch: (request) => {
      const path = new URL(request.url).pathname.replace('/api/v1/', '')
      sent.push(path)
      return path === 'auth/refresh' ? sendRefresh(request) : fetch(request)
    },
    onTokens: (tokens) => stored.push(tokens),
    onLoginEnd: (reason) => ends.push(reason),
  })
  const logIn = () => client.api.POST('/api/v1/auth/login', { body: { email, password } })
  const { data } = await logIn()
  const expired = { access_token: 'expired', refresh_token: data.refresh_token }
  client.setTokens(expired)
  sent.length = 0
  const readMe = () => client.api.GET('/api/v1/auth/me')
  return { client, logIn, email, expired, sent, stored, ends, readMe }
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

t.test('Requests that are refused at the same time wait for one refresh', async (t) => {
  const { email, sent, stored, readMe } = await openLogin()
  const answers = await Promise.all(Array.from({ length: 8 }, readMe))
  t.ok(answers.every(({ data }) => data.user.email === email))
  t.equal(sent.filter((path) => path === 'auth/refresh').length, 1)
  t.equal(stored.length, 1, 'the new tokens are stored once')
})

t.test('A refused request is sent again with its body', async (t) => {
  const { client, sent } = await openLogin()
  const body = { name: 'Tuesday', scenario_name: 'hr_workforce' }
  const { data } = await client.api.POST('/api/v1/simulation/sessions', { body })
  t.equal(data.name, 'Tuesday')
  t.strictSame(sent, ['simulation/sessions', 'auth/refresh', 'simulation/sessions'])
})

t.test('A refused refresh ends the login and calls onLoginEnd once', async (t) => {
  const { client, expired, ends, readMe } = await openLogin()
  client.setTokens({ ...expired, refresh_token: 'unknown' })
  const errors = await Promise.all(Array.from({ length: 8 }, () => errorOf(readMe())))
  t.match(ends, [{ status: 401, code: 'invalid_token' }])
  t.ok(errors.every((error) => error === ends[0]))
  t.match(await errorOf(readMe()), { status: 401, code: 'not_authenticated' })
  t.equal(ends.length, 1)
})

t.test('A refresh that fails in the network does not end the login', async (t) => {
  let isUnavailable = true
  const { ends, readMe } = await openLogin((request) =>
    isUnavailable ? Promise.reject(new TypeError('fetch failed')) : fetch(request),
  )
  t.match(await errorOf(readMe()), { name: 'TypeError' })
  isUnavailable = false
  t.ok((await readMe()).data)
  t.strictSame(ends, [])
})

t.test('A login that begins during a refresh remains', async (t) => {
  const { client, logIn, stored, ends, readMe } = await openLogin(async (request) => {
    const { data } = await logIn()
    client.setTokens(data)
    return fetch(request)
  })
  t.ok((await readMe()).data)
  t.strictSame([stored, ends], [[], []])
})

t.test('Two tabs with one login both keep it after a concurrent refresh', async (t) => {
  const { expired, stored, ends, readMe } = await openLogin()
  const other = createClient({
    baseUrl: url,
    tokens: expired,
    onTokens: (tokens) => stored.push(tokens),
    onLoginEnd: (reason) => ends.push(reason),
  })
  await Promise.all([readMe(), other.api.GET('/api/v1/auth/me')])
  t.strictSame(ends, [])
  t.equal(stored.length, 2)
  t.equal(stored[0]?.refresh_token, stored[1]?.refresh_token)
})

t.test('Tokens of another tab remain, even if the own refresh is then refused', async (t) => {
  const { client, logIn, ends, readMe } = await openLogin(async () => {
    const { data } = await logIn()
    client.setTokens(data)
    return Response.json({ detail: 'It was used before', code: 'invalid_token' }, { status: 401 })
  })
  t.ok((await readMe()).data)
  t.strictSame(ends, [])
})

t.test('An error has a code, and a 422 also has faults', async (t) => {
  const { client } = await openLogin()
  const { api } = client
  const session = { params: { path: { session_id: 'unknown' } } }
  t.match(await errorOf(api.GET('/api/v1/simulation/sessions/{session_id}', session)), {
    name: 'ApiError',
    code: 'session_not_found',
    status: 404,
    faults: [],
    requestId: /./,
  })
  const body = { name: '', scenario_name: 'hr_workforce' }
  t.match(await errorOf(api.POST('/api/v1/simulation/sessions', { body })), {
    code: 'validation_failed',
    detail: /^body\.name: /,
    faults: [{ loc: ['body', 'name'] }],
  })
})

t.test('The stream of a session contains its events with their data, until its end', async (t) => {
  const { admin, ben, play, post, change } = await openStage(service)
  const session = await play()
  await post(ben, session)
  const tokens = { access_token: ben.token, refresh_token: '' }
  const { streamSessionEvents } = createClient({ baseUrl: url, tokens })
  const states: string[] = []
  const contents: string[] = []
  let reason = ''
  const onState = (state: string) => states.push(state)
  for await (const { event, data } of streamSessionEvents(session._id, { onState })) {
    if (event === 'message') contents.push(data.content)
    if (event === 'message') await change('endSession', admin, session)
    if (event === 'end') reason = data.reason
  }
  t.strictSame(contents, ['No. 1'])
  t.equal(reason, 'session_ended')
  t.strictSame(states, ['connecting', 'open'])

  const after = streamSessionEvents(session._id, { after: 1 })
  t.match((await after.next()).value, { event: 'end', data: { reason: 'session_ended' } })
  t.ok((await after.next()).done, 'a session that was read to its end is over at once')
})

t.test('The stream of all sessions contains the running sessions and their messages', async (t) => {
  const { admin, ben, play, post } = await openStage(service)
  const session = await play()
  const tokens = { access_token: admin.token, refresh_token: '' }
  for await (const { event, data } of createClient({ baseUrl: url, tokens }).streamEvents()) {
    if (event === 'session' && data.messages === 0) await post(ben, session)
    if (event !== 'message') continue
    t.equal(data.session_id, session._id)
    break
  }
})
