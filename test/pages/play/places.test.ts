import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { listen, waitToHear } from '../../helpers/announced.js'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, openChannel, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { drill, address, enter } = await openDrills(service)

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('hides what one person writes from another person', (t) => changePerson(t, browser))
  t.test('has the room open on only one device', (t) => changeDevice(t, browser))
  t.test('recognizes a participant after the tab was closed', (t) => closeTab(t, browser))
  t.test('opens a place when a crashed tab still counts as open', (t) => openAfterCrash(t, browser))
  t.test('keeps a link until its place is taken', (t) => keepLink(t, browser))
  t.test('asks again for a place after a 429', (t) => waitForSeat(t, browser))
  t.test('takes its place again automatically only once', (t) => loseLogins(t, browser))
  t.test('opens a link again after the end', (t) => openAfterEnd(t, browser))
  t.test('keeps a place when another link is refused', (t) => refuseLink(t, browser))
})

const confirmBriefing = (page: Page) => page.getByRole('button', { name: 'I have read it' }).click()

/** Blocks new messages until the returned function is called. */
async function blockMessages(page: Page): Promise<() => Promise<void>> {
  const posts = /\/messages$/
  await page.route(posts, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  return () => page.unroute(posts)
}

async function changePerson(t: Test, browser: Browser) {
  const { page, secret, secretOfJonas, messages, jonas } = await enter(browser)
  const unblock = await blockMessages(page)
  await boxOf(page).fill('Written by Priya.')
  await page.keyboard.press('Enter')
  await boxOf(page).fill('A draft of Priya.')
  await page.getByText('Sending …').first().waitFor()
  await openLink(page, address, secretOfJonas)
  await unblock()
  await press(page, 'Yes, go on')
  await confirmBriefing(page)
  await openChannel(page, 'cell-readings')
  t.equal(await boxOf(page).inputValue(), '', 'the draft of the other person is hidden')
  await boxOf(page).fill('Written by Jonas.')
  await page.keyboard.press('Enter')
  const find = async (text: string) => (await messages()).find(({ content }) => content === text)
  await until(async () => (await find('Written by Jonas.')) !== undefined)
  t.notOk(await find('Written by Priya.'), 'no text of Priya is sent as Jonas')
  await openLink(page, address, secret)
  await openChannel(page, 'cell-readings')
  t.equal(await boxOf(page).inputValue(), 'A draft of Priya.')
  await until(async () => (await find('Written by Priya.')) !== undefined)
  t.not((await find('Written by Priya.'))?.sender_id, jonas.user_id)
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
const seats = '**/seats/take'

async function changeDevice(t: Test, browser: Browser) {
  const { page, secret, post } = await enter(browser)
  await listen(page)
  const { page: phone } = await openDevice(browser, devices.phone)
  await phone.goto(`${address}#${secret}`)
  await heading(phone, 'Take part in a drill')
  await press(phone, 'Go on')
  await heading(phone, 'This place belongs to Priya.')
  await checkState(t, phone, 'a second device')
  t.equal(
    await phone.getByText('The situation').count(),
    0,
    'the briefing is hidden before the answer',
  )
  await post('The first device still reads this.')
  await page.getByText('The first device still reads this.').first().waitFor()
  await phone.getByRole('button', { name: 'Yes, go on' }).click()
  await phone.getByRole('button', { name: 'I have read it' }).click()
  await phone.reload()
  await phone.getByRole('heading', { name: 'Channels' }).waitFor()
  await waitToHear(page, 'Now open on another device')
  await page.getByRole('heading', { name: 'Now open on another device' }).waitFor()
  await checkState(t, page, 'another device')
  await page.getByRole('button', { name: 'Use this device again' }).click()
  await openChannel(page, 'cell-readings')
  await phone.getByRole('heading', { name: 'Now open on another device' }).waitFor()
  t.pass('each device shows where the room is open')
}

async function closeTab(_t: Test, browser: Browser) {
  const { page, secret } = await enter(browser)
  const again = await page.context().newPage()
  await page.close()
  await openLink(again, address, secret)
  await openChannel(again, 'cell-readings')
}

async function openAfterCrash(t: Test, browser: Browser) {
  const { secret } = await drill()
  const { page } = await openDevice(browser)
  await page.addInitScript("localStorage.setItem('tab of a crash', 'true')")
  await openLink(page, address, secret)
  await page.getByLabel('Your name').waitFor()
  t.equal(
    await page.evaluate("localStorage.getItem('tab of a crash')"),
    null,
    'the crashed tab is forgotten',
  )
}

async function keepLink(t: Test, browser: Browser) {
  const { page } = await openDevice(browser)
  const { secret } = await drill()
  await page.route(seats, (route) => route.abort())
  await openLink(page, address, secret)
  await heading(page, 'No connection')
  await checkState(t, page, 'no connection')
  t.equal(page.url(), address, 'the address no longer has the secret')
  await page.reload()
  await press(page, 'Go on')
  await heading(page, 'No connection')
  await press(page, 'To the login')
  await page.unroute(seats)
  await press(page, 'Back to your drill')
  await press(page, 'Go on')
  await page.getByLabel('Your name').waitFor()
  const stored = await page.evaluate('sessionStorage.getItem("link")')
  t.equal(stored, null, 'the link is not kept once its place is taken')
}

async function waitForSeat(t: Test, browser: Browser) {
  const { page } = await openDevice(browser)
  const { secret } = await drill()
  let requests = 0
  await page.route(seats, async (route) => {
    if (++requests > 2) return route.continue()
    await route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { detail: '' } })
  })
  await openLink(page, address, secret)
  await page.getByLabel('Your name').waitFor()
  t.equal(requests, 3, 'the page asks again automatically')
}

async function loseLogins(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  let takes = 0
  const refused = { status: 401, json: { detail: '', code: 'invalid_token' } }
  await page.route('**/api/v1/**', (route) => {
    const isTake = route.request().url().endsWith('/seats/take')
    if (isTake) takes++
    return isTake ? route.continue() : route.fulfill(refused)
  })
  await page.reload()
  await heading(page, 'You are logged out')
  t.equal(takes, 1, 'a refusal of the new login is not retried')
  await page.unroute('**/api/v1/**')
  await press(page, 'Try again')
  await openChannel(page, 'cell-readings')
}

async function openAfterEnd(t: Test, browser: Browser) {
  const { page, secret, to } = await enter(browser)
  const link = `${address}#${secret}`
  await to('endSession')
  await heading(page, 'The drill is over')
  await page.goto(link)
  await press(page, 'Rate yourself')
  await page.getByRole('radio').nth(2).check()
  await press(page, 'Send')
  await heading(page, 'Your part is done')
  await page.getByText('The text that you agreed to').waitFor()
  await page.reload()
  await heading(page, 'Your part is done')

  await page.goto(link)
  await press(page, 'Read the messages again')
  await openChannel(page, 'cell-readings')
  t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), 'token', 'tokens stay in the tab')

  const { page: phone } = await openDevice(browser, devices.phone)
  await openLink(phone, address, secret)
  await heading(phone, 'This drill is over')
  t.equal(await phone.getByRole('button').count(), 0, 'a guest has no login')
  await checkState(t, phone, 'a drill that is over')
  await phone.reload()
  await heading(phone, 'Take part with your account')

  const refused = { status: 401, json: { detail: '', code: 'invalid_token' } }
  await page.route('**/api/v1/**', (route) =>
    route.request().url().endsWith('/seats/take') ? route.continue() : route.fulfill(refused),
  )
  await page.goto(link)
  await heading(page, 'This drill is over')
}

async function refuseLink(_t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await openLink(page, address, 'unknown')
  await heading(page, 'This link is not complete')
  await press(page, 'Back to your drill')
  await openChannel(page, 'cell-readings')
  await openLink(page, address, 'unknown')
  await heading(page, 'This link is not complete')
  await page.reload()
  await openChannel(page, 'cell-readings')
}
