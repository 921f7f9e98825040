import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, join, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { drill, address } = await openDrills(service)

t.test('The page of participants on a phone', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('closes panes with the Back button of the phone', (t) => goBack(t, browser))
  t.test('stays at the same place after a reload', (t) => reload(t, browser))
  t.test('closes panes after the phone was turned', (t) => turn(t, browser))
  t.test('stays on the page when the room and a pane close together', (t) => closeBoth(t, browser))
  t.test('opens the reply that answers a deadline', (t) => answer(t, browser))
  t.test('shows an adviser where to write their advice', (t) => advise(t, browser))
  t.test('says what is missing in an empty rating', (t) => rateNothing(t, browser))
  t.test('keeps the choice of a decision', (t) => keepChoice(t, browser))
  t.test('knows a rating that is sent', (t) => changeRating(t, browser))
  t.test('takes the name at once', (t) => typeName(t, browser))
  t.test('shows the minute of each message', (t) => readTimes(t, browser))
})

/** Starts a session. Returns the page of a guest in the list of channels. */
async function enter(browser: Browser, options = devices.phone) {
  const played = await drill()
  const { page, browserErrors } = await openDevice(browser, options)
  await played.to('startSession')
  await join(page, address, played.secret)
  await listOf(page).waitFor()
  return { ...played, page, browserErrors }
}

const listOf = (page: Page) => page.getByRole('heading', { name: 'Channels' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name })
const historyLength = (page: Page): Promise<number> => page.evaluate('history.length')
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click()

async function openThread(page: Page): Promise<void> {
  await press(page, /kitchen-calls/)
  await press(page, /^Answer$/)
  await heading(page, 'Thread').waitFor()
}

async function goBack(t: Test, browser: Browser) {
  const { page, browserErrors } = await enter(browser)
  const before = await historyLength(page)
  await openThread(page)
  t.equal(page.url(), address, 'the address stays the same')
  await page.goBack()
  await heading(page, '# kitchen-calls').waitFor()
  await page.locator(':focus', { hasText: 'Answer' }).waitFor()
  await page.goBack()
  await listOf(page).waitFor()
  await page.goForward()
  await heading(page, '# kitchen-calls').waitFor()
  await press(page, 'Back')
  await listOf(page).waitFor()

  for (let i = 0; i < 5; i++) {
    await openThread(page)
    await press(page, /^Decide:/)
    await heading(page, 'Decisions').waitFor()
    await press(page, 'Back')
    await heading(page, '# kitchen-calls').waitFor()
    await press(page, 'Back')
    await listOf(page).waitFor()
  }
  await press(page, 'Who is who')
  await press(page, /^Decide:/)
  await page.goBack()
  await listOf(page).waitFor()
  t.ok((await historyLength(page)) <= before + 2, 'the history does not grow')
  await page.goBack()
  t.not(page.url(), address, 'Back leaves the page from the list')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function reload(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await openThread(page)
  await page.reload()
  await heading(page, 'Thread').waitFor()
  await page.getByRole('textbox', { name: 'Write a reply' }).waitFor()
  await page.goBack()
  await boxOf(page).waitFor()
  await page.goBack()
  await listOf(page).waitFor()
  t.equal(page.url(), address)
}

async function turn(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  const { width, height } = devices.phone.viewport
  await page.setViewportSize({ width: height, height: width })
  // Only a wide screen shows both.
  await boxOf(page).waitFor()
  await listOf(page).waitFor()
  const toEnd = page.locator('.to-end')
  await toEnd.waitFor()
  const list = page.locator('section.messages')
  const bottomAtEnd = () =>
    list.evaluate((element) => {
      element.scrollTo(0, element.scrollHeight)
      return element.lastElementChild?.lastElementChild?.getBoundingClientRect().bottom
    })
  const before = await bottomAtEnd()
  await toEnd.waitFor({ state: 'detached' })
  t.equal(await bottomAtEnd(), before, 'nothing moves away from under a finger')
  await openThread(page)
  await page.setViewportSize({ width, height })
  await page.getByRole('button', { name: 'Back' }).waitFor()
  await page.goBack()
  await boxOf(page).waitFor()
  await page.setViewportSize({ width: height, height: width })
  await listOf(page).waitFor()
  await page.goBack()
  await page.setViewportSize({ width, height })
  await boxOf(page).waitFor()
  await press(page, 'Back')
  await listOf(page).waitFor()
  t.equal(page.url(), address)
}

async function closeBoth(t: Test, browser: Browser) {
  const { page, to } = await enter(browser)
  await to('endSession')
  await press(page, 'Read the messages again')
  await press(page, /kitchen-calls/)
  await heading(page, '# kitchen-calls').waitFor()
  const buttons = await Promise.all(
    ['Back', 'Go to the closing page'].map((name) =>
      page.getByRole('button', { name }).elementHandle(),
    ),
  )
  // The browser goes back only after both clicks.
  await page.evaluate((both) => {
    for (const one of both) one?.click()
  }, buttons)
  await heading(page, 'The drill is over').waitFor()
  await press(page, 'Read the messages again')
  await listOf(page).waitFor()
  t.equal(page.url(), address)
}

async function answer(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await press(page, /^Decide:/)
  await page.getByRole('radio', { name: 'Recall it all.' }).check()
  await press(page, /^Decide$/)
  await page.getByText('You have decided.').waitFor()
  await press(page, /^Answer:/)
  await page.getByRole('textbox', { name: 'Write a reply' }).fill('No. Lock it away.')
  await press(page, 'Send')
  await page.getByText('You have answered').last().waitFor()
  t.equal(await page.getByRole('button', { name: /^Answer:/ }).count(), 0, 'the deadline is gone')
}

async function advise(t: Test, browser: Browser) {
  const { to, secretOfJonas } = await drill()
  const { page } = await openDevice(browser, devices.phone)
  await to('startSession')
  await openLink(page, address, secretOfJonas)
  await press(page, 'Yes, go on')
  await press(page, 'I have read it')
  await press(page, /^Advise:/)
  await checkState(t, page, 'a decision of other participants')
  await press(page, 'Write your advice in cell-readings')
  await boxOf(page).fill('Recall it.')
  await heading(page, '# cell-readings').waitFor()
}

async function rateNothing(t: Test, browser: Browser) {
  const { page, to } = await enter(browser)
  await to('endSession')
  await press(page, 'Rate yourself')
  await press(page, 'Send')
  await page.getByText('Answer a question, or skip the rating.').waitFor()
  await checkState(t, page, 'an empty rating')
  await press(page, 'Skip')
  await page.getByText('You have not rated yourself.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Rate yourself' }).count(), 1)
}

async function keepChoice(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await press(page, /^Decide:/)
  await page.getByRole('radio', { name: 'Recall it all.' }).check()
  await page.getByLabel('Why?').fill('We do not know.')
  await press(page, 'Back')
  await listOf(page).waitFor()
  await press(page, /^Decide:/)
  t.equal(await page.getByLabel('Why?').inputValue(), 'We do not know.')
  t.ok(await page.getByRole('radio', { name: 'Recall it all.' }).isChecked())
  await page.reload()
  t.ok(await page.getByRole('radio', { name: 'Recall it all.' }).isChecked(), 'after a reload')
}

async function changeRating(t: Test, browser: Browser) {
  const { page, to } = await enter(browser)
  await to('endSession')
  await press(page, 'Rate yourself')
  await page.getByRole('radio').nth(2).check()
  await press(page, 'Send')
  await press(page, 'Change your rating')
  await press(page, 'Keep the rating that is sent')
  await page.getByText('Your rating is sent.').waitFor()
  // Another device of the same participant knows nothing yet.
  await page.evaluate(
    `for (const name of Object.keys(localStorage)) if (name.endsWith(' rated')) localStorage.removeItem(name)`,
  )
  await page.reload()
  await press(page, 'Rate yourself')
  await press(page, 'Keep the rating that is sent')
  await page.getByText('Your rating is sent.').waitFor()
  t.equal(await page.getByText('You have not rated yourself.').count(), 0)
}

async function typeName(t: Test, browser: Browser) {
  const { page } = await openDevice(browser)
  const { secret } = await drill()
  await openLink(page, address, secret)
  await heading(page, 'What should the others call you?').waitFor()
  await page.keyboard.type('Priya')
  const field = page.getByLabel('Your name')
  t.equal(await field.inputValue(), 'Priya')
  const described = await page.evaluate(
    `document.activeElement.getAttribute('aria-describedby').split(' ')
      .map((id) => document.getElementById(id).textContent)`,
  )
  t.match(described, [/What should the others call you/, /beside your messages/])
  await page.keyboard.press('Enter')
  await heading(page, 'Before you take part').and(page.locator(':focus')).waitFor()
}

async function readTimes(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await press(page, /kitchen-calls/)
  const time = page.locator('.message time').first()
  t.equal(await time.innerText(), 'min 0')
  t.match(await time.getAttribute('title'), /^\d\d:\d\d/, 'the time of day is its title')
}
