import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  composeWith,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { openDetour } from '../../helpers/detour.js'
import { boxOf, join, openChannel, openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { drill, address, addressOf, addMessages } = await openDrills(service)

/** The browser reports each request that finds no network. */
const expected = /ERR_(INTERNET_DISCONNECTED|CONNECTION|EMPTY_RESPONSE)|status of 401/

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('opens a channel with its draft and its focus at once', (t) => openAtOnce(t, browser))
  t.test('keeps a draft over a reload', (t) => keepDraft(t, browser))
  t.test('has no gap and posts nothing twice after it was offline', (t) => goOffline(t, browser))
  t.test('comes back after its connection was cut', (t) => cutConnection(t, browser))
  t.test('tries again at once when its reader asks for it', (t) => tryNow(t, browser))
  t.test('sends a text after a pause that was written before it', (t) => pause(t, browser))
  t.test('announces messages and does not move the focus', (t) => announce(t, browser))
  t.test('has the room open in only one tab of a browser', (t) => openTwice(t, browser))
  t.test('draws no message again while a user types', (t) => type(t, browser))
})

type Drill = Pick<Awaited<ReturnType<typeof drill>>, '_id' | 'params' | 'messages'>

/** Starts a session. Returns the page of a guest in the channel that asks for a decision. */
async function enter(browser: Browser, { at = address, options = devices.desktop } = {}) {
  const played = await drill()
  const { page, browserErrors } = await openDevice(browser, { ...options, expected })
  await played.to('startSession')
  await join(page, at, played.secret)
  await openChannel(page, 'cell-readings')
  await page.getByText('What do we do?').first().waitFor()
  return { ...played, page, browserErrors }
}

/** Adds messages in the channel with the decision, all at once. */
async function addTogether({ _id, params, messages }: Drill, count: number, content: string) {
  const home = (await messages())[0]?.conversation_id ?? ''
  await addMessages({ _id, home, away: '', params }, count, content)
}

/** The texts of the open channel, each as often as it is shown. */
const textsOf = (page: Page) => page.locator('.conversation .prose').allInnerTexts()

async function openAtOnce(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await boxOf(page).fill('Half a sen')
  // A microtask after the change runs before the next key does.
  const shown = page.evaluate(`new Promise((resolve) => {
    const pane = document.querySelector('.pane.conversation')
    const observer = new MutationObserver(() => {
      const heading = pane.querySelector('h2')
      if (heading.textContent !== '# kitchen-calls') return
      observer.disconnect()
      const box = pane.querySelector('textarea')
      resolve({ draft: box.value, hasFocus: document.activeElement === box })
    })
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  })`)
  await openChannel(page, 'kitchen-calls')
  t.strictSame(await shown, { draft: '', hasFocus: true }, 'no letter can get into another box')
}

async function keepDraft(t: Test, browser: Browser) {
  const { page, messages } = await enter(browser)
  await boxOf(page).fill('Half a sen')
  await openChannel(page, 'kitchen-calls')
  t.equal(await boxOf(page).inputValue(), '', 'each channel has a draft')
  await boxOf(page).fill('Another')
  await page.reload()
  await openChannel(page, 'cell-readings')
  t.equal(await boxOf(page).inputValue(), 'Half a sen')
  await boxOf(page).press('End')
  await page.keyboard.type('tence.')
  await composeWith(boxOf(page), 'Enter')
  t.equal(await boxOf(page).inputValue(), 'Half a sentence.', 'a composed word sends nothing')
  await page.keyboard.press('Enter')
  await until(async () => (await messages()).some(({ content }) => content === 'Half a sentence.'))
  await page.reload()
  await openChannel(page, 'cell-readings')
  t.equal(await boxOf(page).inputValue(), '', 'a sent text is no longer a draft')
}

async function goOffline(t: Test, browser: Browser) {
  const { page, messages, post, browserErrors } = await enter(browser)
  await page.context().setOffline(true)
  await page.getByText('No connection.').first().waitFor()
  for (const text of ['First.', 'Second.']) {
    await boxOf(page).fill(text)
    await page.keyboard.press('Enter')
  }
  for (let i = 0; i < 5; i++) await post(`Meanwhile ${i}.`)
  await page.getByText('Sending …').first().waitFor()
  await page.context().setOffline(false)
  await page.getByText('Sending …').first().waitFor({ state: 'detached' })
  await page.getByText('No connection.').first().waitFor({ state: 'detached' })
  const shown = await textsOf(page)
  const [asked] = await messages()
  const posted = (await messages()).filter((one) => one.conversation_id === asked?.conversation_id)
  t.strictSame(
    shown,
    posted.map(({ content }) => content),
    'the page shows the messages of the service in their order',
  )
  t.equal(shown.filter((text) => text === 'First.').length, 1)
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function cutConnection(t: Test, browser: Browser) {
  const { hostname, port } = new URL(service.url)
  const detour = await openDetour(t, { host: hostname, port: Number(port) })
  const { page, post } = await enter(browser, { at: addressOf(String(detour.node.port)) })
  await detour.cut()
  await page.getByText('No connection.').first().waitFor()
  for (let i = 0; i < 3; i++) await post(`While it was cut ${i}.`)
  await boxOf(page).fill('Written without a connection.')
  await page.keyboard.press('Enter')
  detour.mend()
  await page.getByText('While it was cut 2.').first().waitFor()
  await page.getByText('No connection.').first().waitFor({ state: 'detached' })
  await page.getByText('Sending …').first().waitFor({ state: 'detached' })
  const texts = await textsOf(page)
  t.strictSame(texts.slice(-4).toSorted(), [
    'While it was cut 0.',
    'While it was cut 1.',
    'While it was cut 2.',
    'Written without a connection.',
  ])
}

async function tryNow(t: Test, browser: Browser) {
  const { page, post } = await enter(browser)
  // The next try of the page itself comes too late for this test.
  await page.addInitScript(`Math.random = () => 3_600`)
  await page.reload()
  await openChannel(page, 'cell-readings')
  const streams = '**/events'
  let tries = 0
  // The first try never gets an answer.
  await page.route(streams, (route) => (++tries > 1 ? route.continue() : undefined))
  await page.context().setOffline(true)
  const button = page.getByRole('button', { name: 'Try now' })
  await button.waitFor()
  await checkState(t, page, 'a connection that is lost')
  await page.context().setOffline(false)
  await until(async () => tries === 1)
  await post('Back again.')
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Back again.').first().waitFor()
  await button.waitFor({ state: 'detached' })
  await page.locator('h1:focus').waitFor()
  t.equal(tries, 2)
}

async function pause(t: Test, browser: Browser) {
  const { page, messages, to } = await enter(browser)
  const posts = /\/messages$/
  await page.route(posts, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await boxOf(page).fill('Before the pause.')
  await page.keyboard.press('Enter')
  await page.getByText('No connection.').first().waitFor()
  await to('pauseSession')
  await page.getByText('Paused: you can send').waitFor()
  const refused = page.waitForResponse((one) => posts.test(one.url()) && one.status() === 409)
  await page.unroute(posts)
  await refused
  await page.getByText('No connection.').first().waitFor({ state: 'detached' })
  t.equal(await page.getByText('Not sent.').count(), 0)
  await to('resumeSession')
  await until(async () => (await messages()).some(({ content }) => content === 'Before the pause.'))
}

async function announce(t: Test, browser: Browser) {
  const { page, post, ...played } = await enter(browser)
  const status = page.getByRole('status')
  await boxOf(page).focus()
  await page.keyboard.type('I am wri')
  await post('Look at this.')
  await status.getByText('Jonas in cell-readings: Look at this.').waitFor()
  await addTogether(played, 3, 'News.')
  await status.getByText('3 new messages in cell-readings').waitFor()
  await page.keyboard.type('ting.')
  t.equal(await boxOf(page).inputValue(), 'I am writing.', 'the focus stays in the box')
}

async function openTwice(t: Test, browser: Browser) {
  const { page, secret, post, browserErrors } = await enter(browser)
  const second = await page.context().newPage()
  // The first tab answers late.
  const busy = page.evaluate('for (const end = Date.now() + 1_000; Date.now() < end; );')
  await second.goto(`${address}#${secret}`)
  await second.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  await busy
  await checkState(t, second, 'another tab')
  await post('Still here.')
  await page.getByText('Still here.').first().waitFor()
  await second.getByRole('button', { name: 'Use it in this tab' }).click()
  await page.getByRole('heading', { name: 'Now open in another tab' }).waitFor()
  await checkState(t, page, 'the tab that was left')
  await openChannel(second, 'cell-readings')
  await second.getByText('Still here.').first().waitFor()
  await page.getByRole('button', { name: 'Use it in this tab again' }).click()
  await page.getByText('Still here.').first().waitFor()
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function type(t: Test, browser: Browser) {
  const { page, post, ...played } = await enter(browser)
  await addTogether(played, 1_000, 'A long day.')
  await page.reload()
  await openChannel(page, 'cell-readings')
  await until(async () => (await textsOf(page)).length >= 1_000)
  await boxOf(page).focus()
  await page.coverage.startJSCoverage()
  await page.keyboard.type('the quick brown fox jumps over the lazy dog')
  const whileTyping = countDrawnRows(await page.coverage.stopJSCoverage())
  await page.coverage.startJSCoverage()
  await post('And an evening.')
  await page.getByText('And an evening.').first().waitFor()
  const whileArriving = countDrawnRows(await page.coverage.stopJSCoverage())
  t.ok(whileArriving > 0, 'a message that arrives draws rows')
  t.equal(whileTyping, 0, 'typing draws no rows')
}

type Coverage = Awaited<ReturnType<Page['coverage']['stopJSCoverage']>>

/** Counts the drawn rows of messages: the calls of the function that names their class. */
function countDrawnRows(scripts: Coverage): number {
  const calls = scripts.flatMap(({ source = '', functions }) =>
    functions
      .flatMap(({ ranges }) => ranges.slice(0, 1))
      .filter(({ startOffset, endOffset }) => {
        const text = source.slice(startOffset, endOffset)
        return text.length < 2_000 && text.includes('"in-thread"')
      }),
  )
  return Math.max(0, ...calls.map(({ count }) => count))
}
