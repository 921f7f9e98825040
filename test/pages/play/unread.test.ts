import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { join, openChannel, openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { drill, address, admin, call } = { ...service, ...(await openDrills(service)) }

t.test('The count of unread messages goes down', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('when a hidden tab is shown again', (t) => hide(t, browser))
  t.test('at the end of a channel that did not move', (t) => jump(t, browser))
  t.test('at the end of a channel that moved when a message came', (t) => move(t, browser))
  t.test('with the replies of a thread that is open', (t) => readThread(t, browser))
})

/** Starts a session. Returns the page of a guest who has read both channels. */
async function enter(browser: Browser, options: BrowserContextOptions) {
  const played = await drill()
  const { page } = await openDevice(browser, options)
  await played.to('startSession')
  await join(page, address, played.secret)
  for (const name of ['kitchen-calls', 'cell-readings']) await openChannel(page, name)
  await waitForTitle(page, 'Early shift')
  return { ...played, page }
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click()
/** The title of the page begins with the count. */
const waitForTitle = (page: Page, title: string) =>
  until(async () => (await page.title()) === title)
const show = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })
    document.dispatchEvent(new Event('visibilitychange'))`)

async function hide(t: Test, browser: Browser) {
  const { page, post } = await enter(browser, devices.desktop)
  await show(page, 'hidden')
  await post('While you look away.')
  await waitForTitle(page, '(1) Early shift')
  await show(page, 'visible')
  await waitForTitle(page, 'Early shift')
  t.pass('what is on the screen is read')
}

async function jump(t: Test, browser: Browser) {
  const { page, post, params } = await enter(browser, devices.phone)
  for (let i = 0; i < 12; i++) await post(`Reading ${i}`)
  await page.getByText('Reading 11').last().waitFor()
  const body = { option: 'wait', on_behalf: true, reason: 'I record it.' }
  const place = { ...params, beat: 'recall' }
  await call('makeDecision', { token: admin.token, params: place, body })
  await press(page, /Read$/)
  await page.locator('.target', { hasText: 'I record it.' }).waitFor()
  await post('A message of\nthree\nlines.')
  await page.getByText('A message of').last().waitFor()
  await waitForTitle(page, 'Early shift')
  t.equal(await page.getByRole('button', { name: '1 new message' }).count(), 0)
}

async function move(t: Test, browser: Browser) {
  const { page, post } = await enter(browser, devices.phone)
  for (let i = 0; i < 12; i++) await post(`Reading ${i}`)
  await page.getByText('Reading 11').last().waitFor()
  await waitForTitle(page, 'Early shift')
  // The browser tells of the last move only when the next message is there.
  await page.locator('.messages').evaluate((list) => {
    const message = list.querySelector('li')?.cloneNode(true)
    if (message) list.querySelector('ol')?.append(message)
    list.dispatchEvent(new Event('scroll'))
  })
  await post('One more.')
  await page.getByText('One more.').last().waitFor()
  await waitForTitle(page, 'Early shift')
  t.equal(await page.getByRole('button', { name: '1 new message' }).count(), 0)
  await page.locator('.messages').evaluate((list) => list.scrollTo(0, 0))
  await post('Below.')
  await waitForTitle(page, '(1) Early shift')
  t.pass('who reads further up has a count')
}

async function readThread(t: Test, browser: Browser) {
  const { page, messages, params, jonas } = await enter(browser, devices.phone)
  await openChannel(page, 'kitchen-calls')
  await press(page, /^Answer$/)
  const asked = (await messages()).find(({ content }) => content === 'May it serve the salad?')
  const { conversation_id = '', _id: thread_id = '' } = asked ?? {}
  const body = { conversation_id, thread_id, content: 'I think not.', client_message_id: 'r-1' }
  await call('postSessionMessage', { token: jonas.token, params, body })
  await page.locator('.side').getByText('I think not.').waitFor()
  await waitForTitle(page, 'Early shift')
  await page.reload()
  await page.locator('.side').getByText('I think not.').waitFor()
  t.equal(await page.title(), 'Early shift', 'also after a reload')
}
