import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { loadContract } from '../../src/contract.js'
import { contractFaults } from '../helpers/contract.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { app, url, request } = await startService(t, { RATE_LIMIT: 'on' })
const { operations } = loadContract()
const { port } = new URL(url)
const tooSlow = { detail: 'The request took too long to arrive', code: 'request_timeout' }
const malformed = { detail: 'The request is not well-formed HTTP', code: 'bad_request' }

/** Sends lines on a new connection. Returns all bytes until the service closes it. */
function exchange(...lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), '127.0.0.1')
    socket.setEncoding('utf8').on('data', (text) => {
      received += text
    })
    socket.on('close', () => resolve(received)).on('error', reject)
    socket.write(lines.join('\r\n'))
  })
}

/** The last of several answers in a text. */
function parse(text: string) {
  const answer = text.slice(text.lastIndexOf('HTTP/1.1 '))
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
  return { status: Number(status.split(' ')[1]), headers, body: body && JSON.parse(body) }
}

t.test('A request that Node refuses has an answer in the form of the contract', async (t) => {
  const host = 'Host: x'
  const close = 'Connection: close'
  for (const [name, lines, status, body] of [
    ['an unknown method', ['BREW /api/v1/users HTTP/1.1', host], 400, malformed],
    ['a malformed request line', ['GET /a b HTTP/1.1', host], 400, malformed],
    ['a request without Host', ['GET /api/v1/users HTTP/1.1', close], 400, malformed],
    [
      'an expectation other than 100-continue',
      ['GET /api/v1/users HTTP/1.1', host, 'Expect: tea', close],
      417,
      {
        detail: 'The only expectation that can be met is 100-continue',
        code: 'expectation_failed',
      },
    ],
    [
      'headers of 20 KB',
      ['GET /api/v1/users HTTP/1.1', host, `X-Long: ${'x'.repeat(20_000)}`],
      431,
      { detail: 'Request headers are too large', code: 'headers_too_large' },
    ],
  ] as const) {
    t.test(name, async (t) => {
      const answer = parse(await exchange(...lines, '', ''))
      t.strictSame([answer.status, answer.body], [status, body])
      t.match(answer.headers.get('x-request-id'), /^[0-9a-f-]{36}$/)
      t.match(answer.headers.get('content-type'), /^application\/json/)
    })
  }

  t.test('and its request id, if it has one', async (t) => {
    const head = ['POST /api/v1/auth/login HTTP/1.1', host, 'X-Request-Id: mine-1']
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked', '']
    const extension = `1;${'x'.repeat(20_000)}`
    const answer = parse(await exchange(...head, ...chunked, extension, ''))
    t.match(answer, { status: 413, body: { code: 'payload_too_large' } })
    t.equal(answer.headers.get('x-request-id'), 'mine-1')
  })

  t.test('but an HTTP/1.0 client needs no Host', async (t) => {
    t.equal(parse(await exchange('GET /health HTTP/1.0', '', '')).status, 200)
  })
})

t.test('An incomplete request', async (t) => {
  const { requestTimeout, headersTimeout } = app.server
  t.ok(requestTimeout > 0 && requestTimeout <= 10_000 && headersTimeout <= requestTimeout)
  app.server.requestTimeout = app.server.headersTimeout = 500
  t.teardown(() => Object.assign(app.server, { requestTimeout, headersTimeout }))
  const body = ['Content-Type: application/json', 'Content-Length: 100', '', '{']
  const register = 'POST /api/v1/auth/register HTTP/1.1'
  const branding = 'PUT /api/v1/organizations/x/branding HTTP/1.1'

  for (const [name, lines] of Object.entries({
    'that stops in its headers': [register, 'Hos'],
    'that stops in its body': [register, 'Host: x', ...body],
    'that stops in a body without a token': [branding, 'Host: x', ...body],
    'that stops in a body with a token': [branding, 'Host: x', 'Authorization: Bearer x', ...body],
  })) {
    t.test(`${name} is reported and cut off`, async (t) => {
      const answer = parse(await exchange(...lines))
      t.strictSame([answer.status, answer.body], [408, tooSlow])
      t.match(answer.headers.get('x-request-id'), /^[0-9a-f-]{36}$/)
      t.equal(answer.headers.get('connection'), 'close')
    })
  }

  t.test('is answered as the contract documents, for every operation', async (t) => {
    const sending = operations.filter(({ method }) => method !== 'GET')
    const walk = sending.map(async ({ operationId, method, path }) => {
      const line = `${method} ${path.replaceAll(/\{\w+\}/g, 'x')} HTTP/1.1`
      const answer = parse(await exchange(line, 'Host: x', ...body))
      t.equal(answer.status, 408, operationId)
      t.strictSame(contractFaults(operationId, answer), [])
    })
    await Promise.all(walk)
  })
})

t.test('A method that a path does not have is a 405, for every method of Node', async (t) => {
  const paths = [...new Set(operations.map(({ path }) => path))]
  const known = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT']
  const others = METHODS.filter((method) => !known.includes(method))
  t.ok(others.includes('TRACE') && others.includes('PROPFIND') && others.includes('LOCK'))
  for (const method of others) {
    const path = paths[others.indexOf(method) % paths.length] ?? ''
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', '', '']
    const { status, headers, body } = parse(await exchange(...lines))
    t.strictSame([status, body.code], [405, 'method_not_allowed'], method)
    t.ok(headers.get('allow'))
    t.match(headers.get('ratelimit-remaining'), /^\d+$/)
    const nowhere = parse(await exchange(`${method} /nowhere HTTP/1.1`, ...lines.slice(1)))
    t.strictSame([nowhere.status, nowhere.body.code], [404, 'not_found'], method)
  }
})

t.test('A 404 or 405 counts against the rate limit like every other answer', async (t) => {
  const paths = ['/nowhere', '/api/v1/users/%zz', `/api/v1/users/${'x'.repeat(3000)}`, '/%']
  const answers = [await request('/api/v1/users', { method: 'PUT' })]
  for (const path of paths) answers.push(await request(path))
  t.strictSame(
    answers.map(({ status }) => status),
    [405, 404, 404, 401, 404],
  )
  const left = answers.map(({ headers }) => Number(headers.get('ratelimit-remaining')))
  t.strictSame(
    left,
    [0, 1, 2, 3, 4].map((used) => (left[0] ?? 0) - used),
  )
  t.ok(answers.every(({ headers }) => headers.has('x-request-id')))
})
