import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { heardOn, listen, waitToHear } from '../../helpers/announced.js'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, join, openChannel, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call } = service
const { drill, address, pass, admin } = await openDrills(service)

t.test('A choice that is not sent', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('is kept when the time runs out', (t) => miss(t, browser))
  t.test('is kept when a trainer decides first', (t) => comeLate(t, browser))
  t.test('is announced before the time runs out', (t) => hear(t, browser))
  t.test('is said in German', (t) => readGerman(t, browser))
})

async function enter(browser: Browser, speed = 1) {
  const played = await drill({ speed })
  const { page } = await openDevice(browser, devices.phone)
  await played.to('startSession')
  await join(page, address, played.secret)
  return { ...played, page }
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const press = (page: Page, name: string | RegExp) => button(page, name).click()
const card = (page: Page) => page.locator('.decision', { hasText: 'What happens to the food?' })

async function choose(page: Page) {
  await press(page, /^Decide:/)
  t.equal(await page.getByText('Not sent yet').count(), 0)
  await page.getByRole('radio', { name: 'Recall it all.' }).check()
  await page.getByLabel('Why?').fill('We do not know.')
}

async function miss(t: Test, browser: Browser) {
  const { page, _id, messages } = await enter(browser)
  await openChannel(page, 'cell-readings')
  await boxOf(page).fill('Already here.')
  await choose(page)
  await page.locator('.act').getByText('Not sent yet').waitFor()
  await page.getByText('Your choice counts only once you have sent it.').waitFor()
  await page.reload()
  await button(page, /^Decide: .*Not sent yet/).waitFor()
  t.equal(await page.getByLabel('Why?').inputValue(), 'We do not know.')
  await page.getByLabel('Why?').focus()
  await pass({ _id }, 6)
  await card(page).getByText('Your choice was not sent in time, so it does not count:').waitFor()
  await page.locator('h3:focus', { hasText: 'What happens to the food?' }).waitFor()
  await card(page).getByText('the story went on with this').waitFor()
  await checkState(t, page, 'a choice that came too late')
  await press(page, 'Back')
  await press(page, 'Your choice was not sent in time. The story goes on with: Wait.')
  await page.reload()
  t.match(await card(page).locator('.notice').innerText(), /Recall it all\.\s+Your reason: We do/)
  await press(page, 'Put my reason into a message')
  await boxOf(page).and(page.locator(':focus')).waitFor()
  t.equal(await boxOf(page).inputValue(), 'Already here.\nWe do not know.')
  t.notOk((await messages()).some(({ content }) => content.includes('We do not know.')))
  await press(page, 'Back')
  await press(page, /^Decisions/)
  t.match(await card(page).locator('.notice').innerText(), /Recall it all\.$/)
}

async function comeLate(_t: Test, browser: Browser) {
  const { page, params } = await enter(browser)
  await choose(page)
  const body = { option: 'wait', on_behalf: true }
  const place = { ...params, beat: 'recall' }
  await call('makeDecision', { token: admin.token, params: place, body })
  await card(page).getByText('Recorded by the trainer for the team.').waitFor()
  await card(page).locator('.notice', { hasText: 'We do not know.' }).waitFor()
}

async function hear(t: Test, browser: Browser) {
  // Five minutes to decide are 50 seconds at this speed.
  const { secret, to } = await drill({ speed: 6 })
  const { page } = await openDevice(browser, devices.phone)
  await join(page, address, secret)
  await listen(page)
  await to('startSession')
  await choose(page)
  await waitToHear(page, /\d\d? seconds? left: What happens to the food\?/)
  await waitToHear(page, /Your choice is not sent yet\. .* \d\d? seconds? left/)
  t.notMatch((await heardOn(page)).join(), /minute left/)
}

async function readGerman(t: Test, browser: Browser) {
  const { _id, to, secret } = await drill()
  const { page } = await openDevice(browser, { ...devices.narrow, locale: 'de' })
  await to('startSession')
  await joinInGerman(page, secret)
  await press(page, /^Entscheiden:/)
  await page.getByRole('radio', { name: 'Recall it all.' }).check()
  await page.getByLabel('Warum?').fill('Wir wissen es nicht.')
  await checkState(t, page, 'a choice, German')
  await pass({ _id }, 6)
  await button(page, 'Grund in Nachricht übernehmen').waitFor()
  await checkState(t, page, 'a choice that came too late, German')
}

async function joinInGerman(page: Page, secret: string) {
  await openLink(page, address, secret, 'Weiter')
  await page.getByLabel('Ihr Name').fill('Priya')
  await press(page, 'Weiter')
  await page.getByRole('checkbox').check()
  await press(page, 'Mitmachen')
  await press(page, 'Gelesen: weiter')
}
