import type { Browser, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, join, openChannel, openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { drill, address, admin, call } = { ...service, ...(await openDrills(service)) }

const viewport = { width: 360, height: 640 }
/** What is left of that screen beside a keyboard. */
const withKeyboard = { width: 360, height: 320 }

t.test('A participant who types on a small screen', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('sees one line of news, the box and the newest message', (t) => type(t, browser))
  t.test('sees their own decision before news', (t) => seeDecision(t, browser))
  t.test('reads the news with one tap', (t) => tapStrip(t, browser))
})

/** Starts a session in which everything is new at once. Returns the page of a guest who has the focus in the box. */
async function enter(browser: Browser) {
  const played = await drill()
  const { params, link, post } = played
  const { page } = await openDevice(browser, { ...devices.phone, viewport })
  await played.to('startSession')
  await join(page, address, played.secret)
  await openChannel(page, 'cell-readings')
  for (let i = 0; i < 8; i++) await post(`Reading ${i}`)
  const { token } = admin
  const body = { option: 'wait', on_behalf: true, reason: 'I record it.' }
  await call('makeDecision', { token, params: { ...params, beat: 'recall' }, body })
  const place = { ...params, assignment_id: link?.assignment_id ?? '' }
  const content = 'Look at the probe of the cold store, and then tell me what you see on it.'
  await call('answerParticipant', { token, params: place, body: { content } })
  for (const kind of ['.outcome', '.from-trainer'])
    await strips(page).and(page.locator(kind)).waitFor()
  await page.getByText('I record it.').last().waitFor()
  return { ...played, page }
}

async function seeDecision(t: Test, browser: Browser) {
  const { to, secret, messages, jonas, params } = await drill()
  const { page } = await openDevice(browser, { ...devices.phone, viewport })
  await to('startSession')
  await join(page, address, secret)
  await openChannel(page, 'cell-readings')
  const asked = (await messages()).find(({ content }) => content === 'May it serve the salad?')
  const { conversation_id = '', _id: thread_id = '' } = asked ?? {}
  const body = { conversation_id, thread_id, content: 'Lock it away.', client_message_id: 'a-1' }
  await call('postSessionMessage', { token: jonas.token, params, body })
  await strips(page).getByText('Jonas has answered').waitFor()
  await boxOf(page).tap()
  await page.setViewportSize(withKeyboard)
  await strips(page).getByText('Jonas has answered').waitFor({ state: 'hidden' })
  t.match(await strips(page).allInnerTexts(), [/^Decide: What happens to the food/])
}

const strips = (page: Page) => page.locator('.room-head :is(.deadline, .state):visible')

async function type(t: Test, browser: Browser) {
  const { page, to, post } = await enter(browser)
  const count = await strips(page).count()
  t.equal(count, 3, 'who reads sees all of them')
  await boxOf(page).tap()
  await page.setViewportSize(withKeyboard)
  await post('The newest.')
  const newest = page.locator('.message', { hasText: 'The newest.' })
  await newest.waitFor()
  t.equal(await strips(page).count(), 1)
  const strip = await frameOf(strips(page))
  t.ok(strip.height < 40, `${strip.height} px is one line`)
  await boxOf(page).pressSequentially('I see')
  for (const shown of [newest, boxOf(page)]) {
    const { y, height } = await frameOf(shown)
    t.ok(y >= strip.y + strip.height && y + height <= withKeyboard.height, `${shown} is in sight`)
  }
  await checkState(t, page, 'typing beside a keyboard')
  await to('pauseSession')
  await strips(page).getByText('Paused by the trainer').waitFor()
  t.equal(await strips(page).count(), 1, 'what is wrong comes first')
  await page.setViewportSize(viewport)
  await boxOf(page).blur()
  t.ok((await strips(page).count()) > 1, 'afterwards all are shown again')
}

async function tapStrip(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await boxOf(page).tap()
  await page.setViewportSize(withKeyboard)
  await strips(page).getByText('Read').click()
  await page.locator('.target', { hasText: 'I record it.' }).waitFor()
  await boxOf(page).tap()
  await strips(page).getByText('Read').click()
  await page.getByRole('heading', { name: 'Ask the trainer' }).waitFor()
  t.pass('the strip stays below the finger')
}

async function frameOf(locator: Locator) {
  const frame = await locator.boundingBox()
  if (!frame) throw new Error(`${locator} is not visible`)
  return frame
}
