import { once } from 'node:events'
import { type IncomingHttpHeaders, request as send } from 'node:http'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { createId } from '../../src/formats/identifiers.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { operations } from '../helpers/walk.js'

const service = await startService(t)
const { call, url, registerAdmin } = service
const { admin, organization_id, play, change, addMessages } = await openStage(service)

interface Sent {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** Sends a request. Returns the answer as it is sent, before it is decompressed. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' }: { method?: string; body?: string | Buffer } = {},
): Promise<Sent> {
  const authorization = `Bearer ${admin.token}`
  const request = send(url + path, { method, headers: { authorization, ...headers } })
  request.end(body)
  const [response] = await once(request, 'response')
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(pieces) }
}

const gzip = { 'accept-encoding': 'gzip' }
const json = { 'content-type': 'application/json' }
const sentence = 'Teams that plan decide sooner. '
const experiments = '/api/v1/admin/simulation/team-drills/experiments'

/** Creates an experiment with a hypothesis of this length. Returns its path. */
async function addExperiment(length: number): Promise<string> {
  const { body } = await call('createExperiment', {
    token: admin.token,
    body: { name: 'Plans', hypothesis: sentence.repeat(length / sentence.length) },
  })
  return `${experiments}/${body._id}`
}

t.test('An answer', async (t) => {
  const long = await addExperiment(10_000)

  t.test('is compressed for a caller who accepts gzip', async (t) => {
    const plain = await ask(long)
    t.equal(plain.headers['content-encoding'], undefined, 'not for a caller who does not accept it')
    for (const wanted of ['gzip', 'gzip, deflate, br, zstd', 'br;q=1.0, gzip;q=0.5', '*']) {
      const { headers, bytes } = await ask(long, { 'accept-encoding': wanted })
      t.match(headers, { 'content-encoding': 'gzip', vary: 'accept-encoding' }, wanted)
      t.equal(headers['content-length'], String(bytes.length))
      t.strictSame(gunzipSync(bytes), plain.bytes)
      t.ok(bytes.length < plain.bytes.length / 5, `${bytes.length} of ${plain.bytes.length}`)
    }
    for (const wanted of ['', 'identity', 'gzip;q=0', 'gzip;q=0.1, identity', 'br', 'sdch']) {
      const { headers, bytes } = await ask(long, { 'accept-encoding': wanted })
      t.equal(headers['content-encoding'], undefined, wanted)
      t.strictSame(bytes, plain.bytes)
    }
  })

  t.test('is sent unchanged when it is short', async (t) => {
    const { headers, bytes } = await ask(await addExperiment(31), gzip)
    t.equal(headers['content-encoding'], undefined)
    t.equal(headers['content-length'], String(bytes.length))
    t.match(JSON.parse(String(bytes)), { name: 'Plans' })
  })

  t.test('has the same headers for HEAD', async (t) => {
    for (const path of [long, '/openapi.json', '/docs/yaml']) {
      const got = await ask(path, gzip)
      const { status, headers, bytes } = await ask(path, gzip, { method: 'HEAD' })
      t.equal(status, 200)
      t.equal(bytes.length, 0)
      for (const name of ['content-encoding', 'content-length', 'etag', 'vary']) {
        t.equal(headers[name], got.headers[name], `${name} of ${path}`)
      }
    }
  })

  t.test('has the same tag when it is compressed, here or by a proxy', async (t) => {
    const tags = [await ask(long), await ask(long, gzip)].map(({ headers }) => headers.etag ?? '')
    t.equal(tags[1], tags[0])
    const [tag = ''] = tags
    const put = (wanted: string, name: string) => {
      const body = JSON.stringify({ name })
      return ask(long, { ...json, ...gzip, 'if-match': wanted }, { method: 'PUT', body })
    }
    const read = async () => (await ask(long)).headers.etag ?? ''
    t.equal((await put(tag, 'Once')).status, 200)
    t.equal((await put(tag, 'Twice')).status, 412, 'only the current tag matches')
    t.equal((await put(`W/${tag}`, 'Twice')).status, 412)
    t.equal((await put(`W/${await read()}`, 'Behind nginx')).status, 200)
    t.equal((await put((await read()).replace(/"$/, '-gzip"'), 'Behind Apache')).status, 200)
    t.equal((await put(`"other", W/${await read()}`, 'One of two')).status, 200)
    t.equal((await put('W/"other"', 'Twice')).status, 412)
    t.equal((await put('"other-gzip"', 'Twice')).status, 412)
  })

  t.test('has Vary with its tag, in a 304 too', async (t) => {
    const path = '/api/v1/admin/simulation/scenario-blueprints'
    for (const headers of [{}, gzip]) {
      const { etag = '' } = (await ask(path, headers)).headers
      const again = await ask(path, { ...headers, 'if-none-match': etag })
      t.equal(again.status, 304)
      t.match(again.headers, { etag, vary: 'accept-encoding' })
    }
  })

  t.test('is sent unchanged when it is a file in pieces', async (t) => {
    const session = await play()
    await addMessages(session, 300, sentence.repeat(100))
    await change('endSession', admin, session)
    const path = `/api/v1/simulation/sessions/${session._id}/export?format=`
    for (const format of ['csv', 'ndjson', 'xapi']) {
      const { headers, bytes } = await ask(path + format, gzip)
      t.equal(headers['content-encoding'], undefined, format)
      t.ok(bytes.length > 300 * sentence.length * 100)
    }
  })
})

t.test('A documentation text', async (t) => {
  const paths = ['/openapi.json', '/openapi.yaml', '/docs/json', '/docs/yaml']
  t.test('is sent in the encoding that the caller prefers', async (t) => {
    for (const path of paths) {
      const plain = await ask(path)
      t.match(plain.headers, { vary: 'accept-encoding', 'cache-control': 'no-cache' })
      const browser = await ask(path, { 'accept-encoding': 'gzip, deflate, br' })
      t.match(browser.headers, { 'content-encoding': 'br', vary: 'accept-encoding' })
      t.equal(browser.headers['content-length'], String(browser.bytes.length))
      t.strictSame(brotliDecompressSync(browser.bytes), plain.bytes)
      const other = await ask(path, { 'accept-encoding': 'br;q=0.5, gzip' })
      t.equal(other.headers['content-encoding'], 'gzip')
      t.strictSame(gunzipSync(other.bytes), plain.bytes)
    }
  })

  t.test('is a 304 for a caller who has it', async (t) => {
    for (const path of paths) {
      const { etag = '' } = (await ask(path, gzip)).headers
      t.equal((await ask(path)).headers.etag, etag)
      for (const known of [etag, `W/${etag}`]) {
        const again = await ask(path, { ...gzip, 'if-none-match': known })
        t.equal(again.status, 304)
        t.match(again.headers, { etag, vary: 'accept-encoding' })
        t.equal(again.bytes.length, 0)
      }
    }
  })
})

t.test('These are never compressed', async (t) => {
  t.test('a stream of events', async (t) => {
    const session = await play()
    await addMessages(session, 20, sentence.repeat(100))
    const { response, waitForMessages, leave } = await openEvents(url, admin, session._id, gzip)
    t.equal(response.headers.get('content-encoding'), null)
    await waitForMessages(20)
    await leave()
  })

  t.test('an answer with a secret in it', async (t) => {
    const organization_name = 'Again and again. '.repeat(10)
    const { token, organization_id } = await registerAdmin({ organization_name })
    const invitations = Array.from({ length: 8 }, (_, i) => {
      return { first_name: 'Mei', last_name: 'Tan', email: `${createId()}-${i}@example.com` }
    })
    const answer = await call('inviteMembers', {
      token,
      params: { organization_id },
      body: { invitations },
      headers: gzip,
    })
    t.ok(JSON.stringify(answer.body).length > 2_048)
    t.equal(answer.headers.get('content-encoding'), null)
  })

  t.test('any answer of an operation that returns secrets', async (t) => {
    // Each unknown field is a fault, so the answer is long.
    const body = JSON.stringify(
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`x${i}`, 1])),
    )
    const headers = { ...json, ...gzip, prefer: 'handling=strict' }
    const posts = operations.filter(
      ({ method, bodyRequired, roles }) =>
        method === 'POST' && bodyRequired && (roles?.includes('admin') ?? true),
    )
    t.ok(posts.filter(({ answersSecret }) => answersSecret).length > 6)
    for (const { operationId, path, answersSecret } of posts) {
      const filled = path
        .replace('{organization_id}', organization_id)
        .replace(/\{\w+\}/g, createId())
      const answer = await ask(filled, headers, { method: 'POST', body })
      t.equal(answer.status, 422, operationId)
      const coding = answersSecret ? undefined : 'gzip'
      t.equal(answer.headers['content-encoding'], coding, operationId)
    }
  })
})

t.test('A compressed request body is not decompressed', async (t) => {
  const body = gzipSync(JSON.stringify({ name: 'Plans', hypothesis: sentence }))
  const headers = { ...json, 'content-encoding': 'gzip' }
  t.equal((await ask(experiments, headers, { method: 'POST', body })).status, 422)
})
