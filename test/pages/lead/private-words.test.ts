import type { Browser, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  composeWith,
  devices,
  launchBrowser,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { call, url } = service
const { admin, drill } = await openDrills(service)
const { take, joinAs } = seatsOf(service)
const { token } = admin
const address = leadAddress(url)
const deskOf = (id: string) => `${address}#/sessions/${id}/run`
const wide = { viewport: { width: 1280, height: 900 } }
const expected = /status of 5|ERR_FAILED/

t.test('Private words on the page of trainers', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('open at the newest', (t) => openWords(t, browser))
  t.test('are found among what waits', (t) => answerPrivately(t, browser))
  t.test('are answered where they wait', (t) => answerHere(t, browser))
  t.test('are counted where the desk is not in view', (t) => countElsewhere(t, browser))
  t.test('can be sent to all', (t) => tellAll(t, browser))
  t.test('to all can answer all', (t) => answerAll(t, browser))
})

const waits = (page: Page) => page.locator('.desk-waits')
const done = (page: Page, hasText: string | RegExp) => page.locator('.done p', { hasText })

async function openWords(t: Test, browser: Browser) {
  const { _id, params, ask, jonas } = await drill()
  for (let i = 1; i < 8; i++) await ask(`Question ${i}?`)
  const { token } = admin
  const place = { ...params, assignment_id: jonas.assignment_id }
  const { page } = await openAs(browser, deskOf(_id), admin, wide)
  const newest = page.locator('.talk').getByText('Question 8?')
  const field = page.getByLabel('What you say to Jonas')
  const open = page.getByRole('button', { name: /^Message privately Jonas/ })
  await call('answerParticipant', { token, params: place, body: { content: 'One moment.' } })
  await open.click()
  await field.and(page.locator(':focus')).waitFor()
  await expectInView(t, page.getByText('One moment.'), 'the newest words')
  await page.locator('.desk-people').evaluate((box) => box.scrollTo(0, 0))
  await ask('Question 8?')
  await page.getByRole('button', { name: /^1 private message Jonas/ }).click()
  await field.and(page.locator(':focus')).waitFor()
  await expectInView(t, newest, 'the newest question')
  await expectInView(t, page.getByRole('button', { name: 'Send' }), 'the button')
  await checkState(t, page, 'private words at their newest')
}

/** Whether an element lies inside the box of the people and of the window. */
async function expectInView(t: Test, element: Locator, what: string) {
  await element.waitFor()
  const isInView = await element.evaluate((one) => {
    const inner = one.getBoundingClientRect()
    const box = one.closest('.desk-people')?.getBoundingClientRect()
    return box !== undefined && inner.top >= box.top && inner.bottom <= box.bottom
  })
  t.ok(isInView, `${what} can be seen`)
}

async function answerPrivately(t: Test, browser: Browser) {
  const { _id, link, ask, to } = await drill()
  const priya = await take(link)
  await joinAs(priya, 'Priya')
  await to('startSession')
  await ask('Up to which temperature?')
  await ask('I have it: 7 degrees.')
  const { page } = await openAs(browser, deskOf(_id), admin)
  const item = waits(page).getByRole('listitem').filter({ hasText: 'I have it: 7 degrees.' })
  await item.getByText('private').waitFor()
  await page.getByRole('button', { name: /^2 private messages Jonas/ }).waitFor()
  await checkState(t, page, 'a private message among what waits')
  await item.getByRole('button', { name: 'No answer needed Jonas' }).click()
  await item.waitFor({ state: 'detached' })
  t.equal(await page.getByText(/private messages?$/).count(), 0, 'no count is left')
  await ask('Where is the probe?', priya)
  await page.reload()
  await waits(page).getByText('Where is the probe?').waitFor()
  t.equal(await item.count(), 0, 'the tab remembers it')

  await ask('And who measures?')
  const { page: phone } = await openAs(browser, `${deskOf(_id)}`, admin, devices.phone)
  await press(phone, /^Decisions and answers 4 waiting/)
  await phone.getByText('And who measures?').waitFor()
  await press(phone, 'Answer Jonas')
  const field = phone.getByLabel('What you say to Jonas')
  await field.and(phone.locator(':focus')).waitFor()
  await field.fill('Mateo does.')
  await press(phone, 'Send')
  await phone.getByRole('button', { name: /^Decisions and answers 3 waiting/ }).waitFor()
}

async function answerHere(t: Test, browser: Browser) {
  const { _id, params, ask, to } = await drill()
  await to('startSession')
  await ask('May I call the school?')
  await ask('Or only the kitchen?')
  const { page } = await openAs(browser, deskOf(_id), admin)
  const answer = waits(page).getByRole('button', { name: 'Answer Jonas' })
  const field = waits(page).getByLabel('What you say to Jonas')
  await answer.click()
  await field.and(page.locator(':focus')).waitFor()
  await waits(page).getByText('May I call the school?').waitFor()
  await composeWith(field, 'Escape')
  await checkState(t, page, 'an answer where the question waits')
  t.equal(await field.count(), 1, 'the Escape of a composed word closes nothing')
  await field.press('Escape')
  await answer.and(page.locator(':focus')).waitFor()
  t.equal(await field.count(), 0, 'Escape closes the field')
  await answer.press('Enter')
  await press(page, /^2 private messages read/)
  await page.locator('.talk textarea:focus').waitFor()
  t.equal(await page.getByLabel('What you say to Jonas').count(), 1, 'there is one field')
  await answer.click()
  await field.and(page.locator(':focus')).waitFor()
  t.equal(await page.getByLabel('What you say to Jonas').count(), 1, 'there is one field')
  await page.keyboard.type('Both.')
  await composeWith(field, 'Enter', { ctrlKey: true })
  t.equal(await field.inputValue(), 'Both.', 'a composed word sends nothing')
  await page.keyboard.press('Control+Enter')
  await answer.waitFor({ state: 'detached' })
  await done(page, 'Sent to Jonas.').waitFor()
  await page.locator('h2:focus', { hasText: 'Waits for an answer' }).waitFor()
  const { body } = await call('listTrainerMessages', { token, params })
  t.match(body.at(-1), { from_trainer: true, content: 'Both.' })
}

async function countElsewhere(t: Test, browser: Browser) {
  const { _id, ask, to } = await drill()
  await to('startSession')
  await ask('Where is the list?')
  const low = { viewport: { width: 400, height: 360 } }
  const { page } = await openAs(browser, `${address}#/sessions/${_id}`, admin, low)
  const chip = page.getByRole('link', { name: '1 private message waits' })
  await chip.waitFor()
  await checkState(t, page, 'a session with a private question')
  await chip.click()
  const words = waits(page).getByText('Where is the list?')
  await words.waitFor()
  const { y, height } = (await words.boundingBox()) ?? { y: -1, height: 0 }
  t.ok(y >= 0 && y + height <= low.viewport.height, 'the link leads to the words')
  const waitForTitle = (title: string) =>
    until(async () => (await page.title()) === `${title} · Lead a drill`)
  await waitForTitle('(1) Early shift')
  await ask('And the probe?')
  await waitForTitle('(2) Early shift')
  await press(page, 'No answer needed Jonas')
  await waitForTitle('Early shift')
  t.pass('the name of the tab counts what waits')
}

async function tellAll(t: Test, browser: Browser) {
  const { _id, params, link, ask, to } = await drill()
  await joinAs(await take(link), 'Priya')
  await to('startSession')
  await ask('Is this the end?')
  const { page } = await openAs(browser, address, admin, { ...devices.desktop, expected })
  let read = () => {}
  const mayRead = new Promise<void>((resolve) => {
    read = resolve
  })
  await page.route(/\/events/, async (route) => {
    await mayRead
    await route.continue()
  })
  await page.goto(deskOf(_id))
  const { body: places } = await call('listParticipants', { token, params })
  const placeOf = (name: string) =>
    places.find((one: { full_name: string }) => one.full_name === name)._id
  await page.getByText('Message everybody', { exact: true }).click()
  await page.getByLabel('What you say to everybody').fill('Five minutes left.')
  const wordsOfPriya = `**/trainer-messages/${placeOf('Priya')}`
  await page.route(wordsOfPriya, (route) => route.abort())
  const send = page.getByRole('button', { name: 'Send to 2 people' })
  await send.click()
  await page.getByText('These have not got it.').waitFor()
  await page.getByText('Priya: No connection.').waitFor()
  t.equal(await page.getByText(/^Jonas: /).count(), 0, 'who has it is not named')
  read()
  await page.unroute(wordsOfPriya)
  await checkState(t, page, 'words to all that one has not got')
  await send.click()
  await page.getByText('These have not got it.').waitFor({ state: 'detached' })
  t.equal(await page.getByLabel('What you say to everybody').inputValue(), '')
  const { body } = await call('listTrainerMessages', { token, params })
  const got = body.filter(({ content }: { content: string }) => content === 'Five minutes left.')
  t.strictSame(
    got.map((one: { assignment_id: string }) => one.assignment_id).sort(),
    [placeOf('Jonas'), placeOf('Priya')].sort(),
    'each has it once',
  )
  t.ok(
    got.every((one: { to_all: boolean }) => one.to_all),
    'each can see that all have it',
  )
  await waits(page).getByText('Is this the end?').waitFor()
  t.pass('words to all answer no question')
}

async function answerAll(t: Test, browser: Browser) {
  const { _id, link, ask, to } = await drill()
  const priya = await take(link)
  await joinAs(priya, 'Priya')
  await to('startSession')
  await ask('Is this the end?')
  await ask('How long?', priya)
  const { page } = await openAs(browser, deskOf(_id), admin)
  await waits(page).getByText('How long?').waitFor()
  await page.getByText('Message everybody', { exact: true }).click()
  const field = page.getByLabel('What you say to everybody')
  await field.fill('Five minutes left.')
  await page.keyboard.press('Control+Enter')
  await done(page, 'Sent to 2 people. 2 private messages still wait for an answer.').waitFor()
  t.equal(await field.inputValue(), '')
  await field.fill('No, ten.')
  const answersAll = page.getByLabel('This answers all 2 private messages that wait.')
  await answersAll.check()
  await checkState(t, page, 'words to all that answer all')
  await press(page, 'Send to 2 people')
  await done(page, /Sent to 2 people\.$/).waitFor()
  for (const text of ['Is this the end?', 'How long?']) {
    t.equal(await waits(page).getByText(text).count(), 0, text)
  }
  t.equal(await answersAll.count(), 0, 'nothing is left to answer')
}
