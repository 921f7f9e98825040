import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  launchBrowser,
  openDevice,
  patienceMs,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, openChannel, openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { registerAdmin } = service
const { address, enter, admin, create, change } = await openDrills(service)

t.test('The page of participants in several tabs', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('hands over unsent texts to another tab', (t) => handOver(t, browser))
  t.test('takes a place back at the first press', (t) => takeBack(t, browser))
  t.test('keeps what was written when the tab with the place is closed', (t) => close(t, browser))
  t.test('keeps what was written when all tabs are closed', (t) => closeAll(t, browser))
  t.test('takes the place of an account back, also without its login', (t) => account(t, browser))
  t.test('shares one login between two tabs after a refresh', (t) => renewInTabs(t, browser))
})

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

async function openTab(page: Page, url: string): Promise<Page> {
  const tab = await page.context().newPage()
  tab.setDefaultTimeout(patienceMs)
  await tab.goto(url)
  return tab
}

/** Opens the link of a guest in a second tab, which takes the place from the first. */
async function takeOver(page: Page, secret: string): Promise<Page> {
  const second = await openTab(page, `${address}#${secret}`)
  await press(second, 'Use it in this tab')
  await openChannel(second, 'cell-readings')
  await heading(page, 'Now open in another tab')
  return second
}

/** Returns the draft in a channel. The list shows at once, so the briefing does not come again. */
async function draftIn(page: Page): Promise<string> {
  await heading(page, 'Channels')
  await openChannel(page, 'cell-readings')
  return boxOf(page).inputValue()
}

async function handOver(t: Test, browser: Browser) {
  const { page, secret, messages } = await enter(browser)
  await page.route(/\/messages$/, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await boxOf(page).fill('Not sent yet.')
  await page.keyboard.press('Enter')
  await boxOf(page).fill('A draft.')
  await page.getByText('Sending …').first().waitFor()
  const second = await takeOver(page, secret)
  t.equal(await boxOf(second).inputValue(), 'A draft.')
  await until(async () => (await messages()).some(({ content }) => content === 'Not sent yet.'))
  const left: string[] = await page.evaluate('Object.keys(sessionStorage)')
  t.strictSame(left, ['place'], 'the first tab keeps no tokens')
}

async function takeBack(t: Test, browser: Browser) {
  const { page, secret } = await enter(browser)
  const second = await takeOver(page, secret)
  await boxOf(second).fill('Written in the second tab.')
  await press(page, 'Use it in this tab again')
  t.equal(await draftIn(page), 'Written in the second tab.')
  await heading(second, 'Now open in another tab')
  await boxOf(page).fill('Written in the first tab.')
  await press(second, 'Use it in this tab again')
  t.equal(await draftIn(second), 'Written in the first tab.')
  await heading(page, 'Now open in another tab')
}

async function close(t: Test, browser: Browser) {
  const { page, secret } = await enter(browser)
  const second = await takeOver(page, secret)
  await openChannel(second, 'kitchen-calls')
  await openChannel(second, 'cell-readings')
  await boxOf(second).fill('A draft.')
  await second.close()
  await press(page, 'Use it in this tab again')
  t.equal(await draftIn(page), 'A draft.')
  const list = page.getByRole('navigation')
  t.equal(await list.getByText('new message').count(), 0, 'what was read stays read')
  await page.reload()
  t.equal(await draftIn(page), 'A draft.', 'also after a reload')
}

async function closeAll(t: Test, browser: Browser) {
  const { page, secret } = await enter(browser)
  const second = await takeOver(page, secret)
  await boxOf(second).fill('A draft.')
  await second.reload()
  await second.close()
  const third = await openTab(page, `${address}#${secret}`)
  await press(third, 'Go on')
  await page.close()
  t.equal(await draftIn(third), 'A draft.')
}

async function account(t: Test, browser: Browser) {
  const { email, password, user_id } = admin
  const session = { scenario_name: 'crisis_response', name: 'Late shift' }
  const { _id } = await create(admin, { ...session, participants: [{ user_id }] })
  await change('startSession', admin, { _id })
  const { page } = await openDevice(browser)
  await page.goto(address)
  const logIn = async (tab: Page) => {
    await tab.getByLabel('E-mail address').fill(email)
    await tab.getByLabel('Password').fill(password)
    await tab.keyboard.press('Enter')
    await press(tab, /Late shift/)
  }
  await logIn(page)
  await page.getByRole('checkbox').check()
  await press(page, 'Take part')
  await press(page, 'I have read it')
  await openChannel(page, 'cell-readings')
  await boxOf(page).fill('A draft.')
  const second = await openTab(page, address)
  await logIn(second)
  await press(second, 'Use it in this tab')
  t.equal(await draftIn(second), 'A draft.')
  await press(page, 'Use it in this tab again')
  t.equal(await draftIn(page), 'A draft.')
  await page.close()
  await press(second, 'Use it in this tab again')
  await logIn(second)
  t.equal(
    await draftIn(second),
    'A draft.',
    'the login went with the closed tab, the draft did not',
  )
  await change('endSession', admin, { _id })
  await press(second, 'Show my drills')
  await press(second, 'Log out')
  await second.getByLabel('Password').waitFor()
  t.strictSame(await kept(second), [], 'nothing is kept after logging out')
}

/** The names under which a browser keeps what belongs to rooms. */
const kept = (page: Page): Promise<string[]> =>
  page.evaluate(`Object.keys(localStorage).filter((name) => name.startsWith('room '))`)

/** The tokens that a tab has stored. */
const tokensOf = (page: Page): Promise<{ access_token: string; refresh_token: string }> =>
  page.evaluate('JSON.parse(sessionStorage.getItem("play tokens"))')

async function renewInTabs(t: Test, browser: Browser) {
  const { page } = await openDevice(browser)
  const { email, password } = await registerAdmin()
  await page.goto(address)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await heading(page, 'Your drills')
  const before = await tokensOf(page)
  // A browser does the same when a user duplicates the tab.
  const second = await page.context().newPage()
  await second.addInitScript(
    `sessionStorage.setItem('play tokens', ${JSON.stringify(JSON.stringify(before))})`,
  )
  await second.goto(address)
  await heading(second, 'Your drills')
  const refused = { status: 401, json: { detail: '', code: 'invalid_token' } }
  await page.route('**/sessions?*', (route) => route.fulfill(refused), { times: 1 })
  await press(page, 'Look again')
  await until(async () => (await tokensOf(second)).refresh_token !== before.refresh_token)
  t.strictSame(await tokensOf(second), await tokensOf(page))
  await second.route('**/sessions?*', (route) => route.fulfill(refused), { times: 1 })
  await press(second, 'Look again')
  await until(
    async () => (await tokensOf(page)).refresh_token === (await tokensOf(second)).refresh_token,
  )
  await press(page, 'Look again')
  await heading(page, 'Your drills')
  await press(page, 'Log out')
  await heading(page, 'Take part with your account')
  await press(second, 'Look again')
  await heading(second, 'You are logged out')
}
