import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import type { Test } from 'tap'

/** Debian's browsers. The first has no window and takes half the processor time of the second. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const executablePath = browsers.find((path) => existsSync(path))
export const skipWithoutBrowser =
  executablePath === undefined && `there is no browser at ${browsers.join(' or ')}`

/** How long a page may take to show something, on a machine with other work. */
export const patienceMs = 120_000

export const devices = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  /** A desktop whose reader enlarges pages to 400 %. */
  narrow: { viewport: { width: 320, height: 640 } },
  /** The same desktop at 200 %. */
  enlarged: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
} satisfies Record<string, BrowserContextOptions>

/** Starts a browser that resolves every name ending in `.test` to this machine. */
export async function launchBrowser(t: Pick<Test, 'teardown'>): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-sandbox',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  })
  t.teardown(async () => {
    // A route that is still fetching would throw when the browser closes.
    const pages = browser.contexts().flatMap((context) => context.pages())
    for (const page of pages) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await browser.close()
  })
  return browser
}

export interface Device {
  page: Page
  /** What the browser reported: errors, warnings, policy violations, requests to other hosts. */
  browserErrors: string[]
}

interface DeviceOptions extends BrowserContextOptions {
  /** Errors that the test causes itself. */
  expected?: RegExp
}

/** Opens an empty page on a new device, which has nothing stored. */
export async function openDevice(
  browser: Browser,
  { expected, ...options }: DeviceOptions = devices.desktop,
): Promise<Device> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  return { page, browserErrors: browserErrorsOf(page, expected) }
}

export function browserErrorsOf(page: Page, expected?: RegExp): string[] {
  const browserErrors: string[] = []
  const add = (text: string) => {
    if (!expected?.test(text)) browserErrors.push(text)
  }
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) add(message.text())
  })
  page.on('pageerror', (error) => add(error.message))
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    const own = new URL(page.url())
    if (own.protocol === 'http:' && origin !== own.origin) add(`asks ${request.url()}`)
  })
  return browserErrors
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const allRules = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
const contrast = { runOnly: { type: 'rule', values: ['color-contrast'] } }

/** Returns the violations of WCAG 2.2 AA in the current state of a page, one line per element. */
export async function accessibilityFaults(page: Page, rules: object = allRules): Promise<string[]> {
  // The content security policy of the page does not apply to the protocol of the browser.
  const protocol = await page.context().newCDPSession(page)
  const run = `axe.run(document, ${JSON.stringify(rules)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(' | '))))`
  await protocol.send('Runtime.evaluate', { expression: `globalThis.axe ?? (() => {${axe}})();0` })
  const { result, exceptionDetails } = await protocol.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  })
  await protocol.detach()
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description)
  return result.value as string[]
}

/** Returns by how many pixels a page is wider than its screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')

/** Returns the names of the animations that run on a page. */
export const animationsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().duration > 0)
    .map(({ animationName, transitionProperty }) => animationName ?? transitionProperty)`)

/** Checks a state of the page in light and dark. */
export async function checkState(t: Test, page: Page, state: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  t.strictSame(await accessibilityFaults(page), [], `${state}, light`)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  t.strictSame(await accessibilityFaults(page, contrast), [], `${state}, dark`)
  t.strictSame(await animationsOf(page), [], `nothing moves in ${state}`)
  t.ok((await overflowOf(page)) <= 0, `${state} is not wider than the screen`)
  t.equal(await page.getByRole('heading', { level: 1 }).count(), 1, `${state} has a heading`)
  if (process.env.PICTURES) await takePictures(page, process.env.PICTURES, state)
}

/** Writes pictures of a state to a folder: in light and dark, as wide as a desktop and a phone. */
async function takePictures(page: Page, folder: string, state: string): Promise<void> {
  const before = page.viewportSize()
  for (const device of ['desktop', 'phone'] as const) {
    await page.setViewportSize(devices[device].viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${folder}/${state}, ${device}, ${colorScheme}.png` })
    }
  }
  if (before) await page.setViewportSize(before)
}

/** Presses a key that ends a composed word, as Safari reports it: by its code, after the composition. */
export const composeWith = (box: Locator, key: string, { ctrlKey = false } = {}): Promise<void> =>
  box.dispatchEvent('keydown', { key, keyCode: 229, ctrlKey, bubbles: true, cancelable: true })

/** Sets the clock of a device an hour ahead. The page has loaded since its clock was installed. */
export async function setDeviceClock(page: Page): Promise<void> {
  await page.clock.setSystemTime(Date.now() + 3_600_000)
  await page.clock.runFor(2_000)
}

/** Presses Tab until an element has the focus. Throws after 60 times. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const hasFocus = () => target.evaluate((element) => element.matches(':focus'))
  for (let i = 0; i < 60; i++) {
    if (await hasFocus()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${target}`)
}

/** Checks that a field for a new password warns of common ones, and of no others. */
export async function warnOfCommon(t: Test, page: Page, label: string): Promise<void> {
  const warning = page.getByRole('status').getByText('one of the most common passwords')
  const field = page.getByLabel(label, { exact: true })
  await field.fill('Qwertzuiop')
  await warning.waitFor()
  t.match(await field.getAttribute('aria-describedby'), /\S/)
  await checkState(t, page, 'a common password')
  await field.fill('a password of my own')
  await warning.waitFor({ state: 'detached' })
}
