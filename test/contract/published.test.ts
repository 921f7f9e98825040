import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { contract, operations } from '../helpers/walk.js'

const { request } = await startService(t)

t.test('Anyone', async (t) => {
  t.test('can get the contract in one file', async (t) => {
    const { status, headers, body } = await request('/openapi.yaml')
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/yaml/)
    t.equal(body, readFileSync('dist/openapi.yaml', 'utf8'))
    t.strictSame(load(body), contract.document)
  })

  t.test('can get the contract as JSON', async (t) => {
    const { status, headers, body } = await request('/openapi.json')
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/json/)
    t.strictSame(body, contract.document)
  })

  t.test('can read the contract on a page', async (t) => {
    const { status, headers, body } = await request('/docs')
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^text\/html/)
    t.match(body, /swagger-ui/i)
    t.match((await request('/docs/json')).body, { openapi: /^3\.1/ })
  })

  t.test('can ask whether the service runs and is ready', async (t) => {
    t.match(await request('/health'), { status: 200, body: { status: 'ok' } })
    t.match(await request('/ready'), { status: 200, body: { status: 'ready' } })
  })
})

t.test('Every path answers with and without a trailing slash', async (t) => {
  for (const { method, path } of operations) {
    const filled = path.replace(/\{\w+\}/g, 'x')
    const [plain, slash] = [
      await request(filled, { method }),
      await request(`${filled}/`, { method }),
    ]
    t.not(plain.status, 404, `${method} ${path}`)
    t.ok(plain.status < 300 || plain.status >= 400, 'without a redirect')
    t.strictSame([slash.status, slash.body], [plain.status, plain.body])
  }
})
