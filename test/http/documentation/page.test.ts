import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { contract, operations } from '../../helpers/walk.js'

const { url } = await startService(t)

/** Plain HTTP under a host name, as inside a company. */
const address = `http://docs.test:${new URL(url).port}`

const tagNames = (contract.document.tags as { name: string }[]).map(({ name }) => name)

t.test('The documentation page', { skip }, async (t) => {
  const browser = await launchBrowser(t)

  t.test('on a desktop', async (t) => {
    const { page, browserErrors } = await openPage(browser, devices.desktop)
    t.test('starts with an operation, and lists all at the side', (t) => readSideList(t, page))
    t.test('sends requests', (t) => readAndTry(t, page, devices.desktop))
    t.test('is dark when the reader prefers dark pages', (t) => readInDarkMode(t, page))
    t.test('causes no errors', async (t) => t.strictSame(browserErrors, []))
  })

  t.test('on a phone', async (t) => {
    const { page, browserErrors } = await openPage(browser, devices.phone)
    t.test('shows a list of operations when asked', (t) => readOnPhone(t, page))
    t.test('sends requests', (t) => readAndTry(t, page, devices.phone))
    t.test('causes no errors', async (t) => t.strictSame(browserErrors, []))
  })
})

/** Opens the page on a device. A browser takes seconds to draw it. */
async function openPage(browser: Browser, options: BrowserContextOptions) {
  // After a reload the page has no token.
  const device = await openDevice(browser, { ...options, expected: /401 \(Unauthorized\)/ })
  await device.page.goto(`${address}/docs`)
  await device.page.locator('.opblock').first().waitFor()
  return device
}

async function boxOf(part: Locator) {
  const { x, y, width, height } = (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return { left: x, top: y, right: x + width, bottom: y + height, height }
}

async function readSideList(t: Test, page: Page) {
  t.ok((await boxOf(page.locator('.opblock').first())).bottom < 800, 'on the first screen')
  for (const folded of ['Glossary', 'Conventions', 'Shared answers']) {
    t.notOk(await page.locator('details', { hasText: folded }).getAttribute('open'), folded)
  }

  const side = page.getByRole('navigation', { name: 'Operations' })
  const tags = side.locator('summary')
  t.strictSame(await tags.allInnerTexts(), tagNames, 'by tag')
  t.equal(await side.locator('li').count(), operations.length, 'with all operations')
  t.equal(
    (await boxOf(page.locator('#page'))).left,
    (await boxOf(side)).right,
    'next to each other',
  )

  const search = side.getByPlaceholder('Find an operation')
  for (const words of ['updateBrand', 'organization branding', 'put /api/v1/organizations']) {
    await search.fill(words)
    const found = await side.locator('li a:visible').allInnerTexts()
    t.match(found.at(-1), 'Update organization branding', words)
    t.ok(found.length < 4, 'with few other operations')
  }
  await search.fill('')
  t.equal(await side.locator('li a:visible').count(), 0)
  await page.locator('.info').getByText('applyQuickSetup').first().click()
  await page.locator('#operations-blueprints-applyQuickSetup .opblock-body').waitFor()

  await tags.filter({ hasText: 'organizations' }).click()
  await side.getByText('Update organization branding').click()
  const operation = page.locator('#operations-organizations-updateBranding')
  await operation.locator('.opblock-body').waitFor()
  t.match(page.url(), '#/organizations/updateBranding')
  const { top, height } = await boxOf(operation)
  t.ok(top >= 0 && top < 100, 'scrolls the operation to the top')
  t.ok(height < 800, 'on one screen')
  const marked = side.locator('[aria-current]')
  t.match(await marked.innerText(), 'Update organization branding', 'and marks it')
  const another = page.locator('#operations-simulation-sessions-createSession')
  await another.evaluate((element) => element.scrollIntoView())
  await marked.getByText('Create session').waitFor()
}

async function readOnPhone(t: Test, page: Page) {
  const list = page.locator('#tags')
  t.notOk(await list.isVisible())
  await page.getByRole('button', { name: 'Operations' }).click()
  await list.locator('summary', { hasText: 'simulation-sessions' }).click()
  await list.getByText('List sessions').click()
  t.notOk(await list.isVisible(), 'the list closes and shows the operation')
  const operation = page.locator('#operations-simulation-sessions-listSessions')
  await operation.locator('.opblock-body').waitFor()
  await open(page, 'session-participants-setParticipants')
  for (const folded of await page.locator('.info summary').all()) await folded.click()
  for (const one of await page.locator('#page, .opblock.is-open, .parameters, .info').all()) {
    const [needed, given] = await one.evaluate((part) => [part.scrollWidth, part.clientWidth])
    t.equal(needed, given, `${await one.getAttribute('class')} fits its width`)
  }
}

async function readInDarkMode(t: Test, page: Page) {
  const brightness = async (colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme })
    const root = colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)'
    await page.locator(root).waitFor()
    const parts = ['body', 'nav', '.swagger-ui', '.info .title', '.opblock', 'nav summary']
    const colors: string[][] = await page.evaluate(`${JSON.stringify(parts)}.map((part) => {
      const { backgroundColor, color } = getComputedStyle(document.querySelector(part))
      return [backgroundColor, color]
    })`)
    return colors.map(([ground, text]) => ({
      ground: brightnessOf(ground),
      text: brightnessOf(text) ?? 0,
    }))
  }
  const [light, dark] = [await brightness('light'), await brightness('dark')]
  for (const { ground } of dark) t.ok(ground === null || ground < 80, `ground ${ground}`)
  for (const { text } of dark) t.ok(text > 150, `text ${text}`)
  for (const { ground } of light) t.ok(ground === null || ground > 200, `ground ${ground}`)
  for (const { text } of light) t.ok(text < 120, `text ${text}`)
}

/** Returns a brightness from 0 to 255, or null for a transparent colour. */
function brightnessOf(color = ''): number | null {
  const [red = 0, green = 0, blue = 0, alpha = 1] = color.match(/[\d.]+/g)?.map(Number) ?? []
  return alpha < 1 ? null : (red + green + blue) / 3
}

/** Expands an operation of the page. */
async function open(page: Page, id: string): Promise<Locator> {
  const operation = page.locator(`#operations-${id}`)
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('.opblock-body').waitFor()
  return operation
}

/** Sends an operation as the page proposes it, except for what `fill` changes. */
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

async function readAndTry(t: Test, page: Page, options: BrowserContextOptions) {
  await page.getByRole('heading', { name: 'Workplace simulation service' }).waitFor()
  t.equal(await page.title(), 'Workplace simulation service')
  t.equal(await page.getByText('Explore').count(), 0, 'no other API reference')
  t.equal(await page.locator('img').count(), 0, 'no logo')
  const shown = page.locator('.opblock-tag')
  await shown.first().waitFor()
  const tags = await shown.evaluateAll((all) => all.map((one) => one.getAttribute('data-tag')))
  t.strictSame(tags, tagNames, 'shows the tags in the order of the contract')

  const email = `${options.isMobile ? 'phone' : 'desktop'}@docs.example`
  const registered = await tryOut(page, 'auth-register', async (operation) => {
    const example = operation.locator('textarea')
    await example.fill((await example.inputValue()).replace('ada@acme.example', email))
  })
  t.match(registered, { status: '201', body: { role: 'admin' } }, 'register')

  await authorize(page, registered.body.access_token)
  t.match(await tryOut(page, 'users-listUsers'), { status: '200', body: [{ email }] }, 'list users')
  await page.goto(`${address}/docs#/organizations/updateBranding`)
  await page.reload()
  const branding = page.locator('#operations-organizations-updateBranding')
  for (const line of [
    'Roles: super_admin, admin',
    'organization_id *',
    'organization/branding_updated',
  ]) {
    await branding.getByText(line).waitFor()
  }
  t.match(await tryOut(page, 'auth-getCurrentUser'), { status: '401' }, 'forgets the token')
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), /eyJ/, 'stores no token')

  const stream = await open(page, 'session-messages-streamEvents')
  t.equal(
    await stream.getByRole('button', { name: 'Try it out' }).count(),
    0,
    'a stream cannot be tried',
  )
  const widest = await page.evaluate('document.documentElement.scrollWidth')
  t.equal(widest, options.viewport?.width, 'nothing is wider than the screen')
}

async function authorize(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.locator('.dialog-ux')
  const bearer = dialog.locator('.auth-container', { hasText: 'bearerAuth' })
  await bearer.locator('input:focus').waitFor()
  await page.keyboard.insertText(token)
  await page.keyboard.press('Enter')
  await bearer.getByText('Authorized', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).first().click()
}
