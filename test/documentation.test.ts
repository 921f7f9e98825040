import { existsSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import type { Test } from 'tap'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'
import { contract, operations } from './helpers/walk.js'

const { app, request, url } = await startService(t)

/** Debian's. Where it is missing, the page is not looked at. */
const executablePath = '/usr/bin/chromium'
const skip = !existsSync(executablePath) && `there is no browser at ${executablePath}`

/** Plain HTTP on a name of its own, as inside a company. */
const address = `http://docs.test:${new URL(url).port}`

const devices: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
}

t.test('The documentation', async (t) => {
  t.test('is where the address alone leads', async (t) => {
    const { status, headers } = await request('/', { redirect: 'manual' })
    t.equal(status, 302)
    t.equal(headers.get('location'), '/docs')
  })

  t.test('comes from here alone, over HTTP as well as HTTPS', async (t) => {
    const policy = (await request('/docs')).headers.get('content-security-policy') ?? ''
    t.match(policy, "default-src 'none'")
    t.notMatch(policy, /https:|unsafe|upgrade/)
  })

  t.test('is written once, however often it is read', async (t) => {
    const sent: unknown[] = []
    app.server.prependListener('request', (_request, response: ServerResponse) => {
      const end = response.end.bind(response)
      response.end = (...given: unknown[]) => {
        sent.push(given[0])
        return Reflect.apply(end, response, given)
      }
    })
    for (const path of ['/docs/json', '/docs/yaml', '/openapi.json', '/openapi.yaml']) {
      const answers = [await request(path), await request(path)]
      const [first, second] = sent.splice(0)
      t.type(first, Buffer, path)
      t.equal(first, second, path)
      t.strictSame(answers[0]?.body, answers[1]?.body)
      const { status, headers } = await request(path, { method: 'HEAD' })
      t.equal(status, 200)
      t.equal(headers.get('content-length'), String((first as Buffer).length))
      t.equal(headers.get('content-type'), answers[0]?.headers.get('content-type'))
      sent.length = 0
    }
  })

  t.test('says of every operation who may call it and what it records', async (t) => {
    const { paths } = (await request('/docs/json')).body
    for (const { operationId, path, method, roles, apiKeyRoles } of operations) {
      const { description, ...operation } = paths[path][method.toLowerCase()]
      const said = description.split('\n')
      const line = (title: string) => said.find((one: string) => one.startsWith(`- **${title}:**`))
      const wanted = (roles ?? ['anybody, without a token']).map((role) => `${role}`)
      for (const role of wanted) t.match(line('Roles'), role, operationId)
      t.strictSame(line('With an API key')?.match(/\w+(?=`)/g) ?? [], apiKeyRoles)
      for (const { category, event_type } of operation['x-audit-events'] ?? []) {
        t.match(line('Audit events'), `\`${category}/${event_type}\``, operationId)
      }
    }
  })
})

t.test('The documentation page', { skip }, async (t) => {
  const browser = await chromium.launch({
    executablePath,
    args: ['--disable-gpu', '--disable-quic', '--host-resolver-rules=MAP docs.test 127.0.0.1'],
  })
  t.teardown(() => browser.close())
  for (const [device, options] of Object.entries(devices)) {
    t.test(`on a ${device}`, (t) => readAndTry(t, browser, options))
  }
})

/** An operation of the page, unfolded. */
async function open(page: Page, id: string): Promise<Locator> {
  const operation = page.locator(`#operations-${id}`)
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('.opblock-body').waitFor()
  return operation
}

/** Sends an operation as the page proposes it, but for what `fill` changes. */
async function tryOut(page: Page, id: string, fill = async (_operation: Locator) => {}) {
  const operation = await open(page, id)
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await fill(operation)
  await operation.getByRole('button', { name: 'Execute' }).click()
  const answer = operation.locator('.live-responses-table .response')
  const status = await answer.locator('.response-col_status').innerText()
  const body = await answer.locator('.highlight-code code').first().textContent()
  return { status: status.trim(), body: JSON.parse(body ?? '') }
}

async function readAndTry(t: Test, browser: Browser, options: BrowserContextOptions) {
  const page = await (await browser.newContext(options)).newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // What a reload cuts short has not failed.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${reason} ${request.url()}`)
  })

  await page.goto(address)
  t.equal(page.url(), `${address}/docs`)
  await page.getByRole('heading', { name: 'Workplace simulation service' }).waitFor()
  t.equal(await page.title(), 'Workplace simulation service')
  t.equal(await page.getByText('Explore').count(), 0, 'explores nothing else')
  t.equal(await page.locator('img').count(), 0, 'and bears no logo')
  const shown = page.locator('.opblock-tag')
  await shown.first().waitFor()
  const tags = await shown.evaluateAll((all) => all.map((one) => one.getAttribute('data-tag')))
  const told = (contract.document.tags as { name: string }[]).map(({ name }) => name)
  t.strictSame(tags, told, 'tells the tags in the order of the contract')

  const email = `${options.isMobile ? 'phone' : 'desktop'}@docs.example`
  const registered = await tryOut(page, 'auth-register', async (operation) => {
    const example = operation.locator('textarea')
    await example.fill((await example.inputValue()).replace('ada@acme.example', email))
  })
  t.match(registered, { status: '201', body: { role: 'admin' } }, 'register')

  await page.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.locator('.dialog-ux')
  const bearer = dialog.locator('.auth-container', { hasText: 'bearerAuth' })
  await bearer.locator('input:focus').waitFor()
  await page.keyboard.insertText(registered.body.access_token)
  await page.keyboard.press('Enter')
  await bearer.getByText('Authorized', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).first().click()

  const users = { status: '200', body: [{ email }] }
  t.match(await tryOut(page, 'users-listUsers'), users, 'list users')
  await page.goto(`${address}/docs#/organizations/updateBranding`)
  await page.reload()
  const branding = page.locator('#operations-organizations-updateBranding')
  for (const told of ['Roles: super_admin, admin', 'organization_id *', 'x-audit-events']) {
    await branding.getByText(told).waitFor()
  }
  const me = await tryOut(page, 'auth-getCurrentUser')
  t.match(me, { status: '200', body: { user: { email } } }, 'still authorized after a reload')

  await page.getByPlaceholder('Filter').fill('branding')
  await page.locator('#operations-auth-register').waitFor({ state: 'detached' })
  const ids = await page.locator('.opblock-summary-operation-id').allInnerTexts()
  t.strictSame(ids, ['getBranding', 'updateBranding'], 'only what was asked for')
  const widest = await page.evaluate('document.documentElement.scrollWidth')
  t.equal(widest, options.viewport?.width, 'nothing is wider than the screen')
  t.strictSame(complaints, [], 'the browser has nothing to complain of')
}
