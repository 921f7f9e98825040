import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  overflowOf,
  setDeviceClock,
  skipWithoutBrowser as skip,
  tabTo,
} from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import {
  clickLink,
  leadAddress,
  openAs,
  press,
  startAllTheSame,
  waitForHeading,
} from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call, url, registerAdmin } = service
const { admin, drill, create } = await openDrills(service)
const { createLinks, take, joinAs } = seatsOf(service)
const address = leadAddress(url)
const wide = { viewport: { width: 1280, height: 900 } }
const deskOf = (id: string) => `${address}#/sessions/${id}/run`

t.test('The desk', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('opens the items behind each count', (t) => followCounts(t, browser))
  t.test('shows times on the clock of the session', (t) => readTimes(t, browser))
  t.test('says which time is left beside a faster clock', (t) => readFasterTimes(t, browser))
  t.test('counts on when the clock of the device is set, and stops in a pause', (t) =>
    stopCounting(t, browser),
  )
  t.test('shows two people and whole titles', (t) => showAll(t, browser))
  t.test('can be used when pages are enlarged to 200 %', (t) => enlarge(t, browser))
})

async function followCounts(t: Test, browser: Browser) {
  const { _id, link, ask, to } = await drill()
  const priya = await take(link)
  await joinAs(priya, 'Priya')
  await to('startSession')
  await ask('Where is the list?')
  await ask('May I call the school?', priya)
  const { page } = await openAs(browser, deskOf(_id), admin)
  await page.getByText('What an observer watches for').click()
  await page.getByText('Which roles say what only they know').waitFor()
  await page.getByText('Questions for the debriefing').click()
  await page.getByText('Which reading did you believe first').waitFor()
  const played = page.getByText('Could the kitchen act on what you told it?').last()
  t.notOk(await played.isVisible(), 'what the story also asks is closed')
  await page.getByText(/^\d more questions?$/).click()
  await played.waitFor()
  await page.getByText('1 decision to come').click()
  await page.locator('.decisions').getByText('about minute 12').waitFor()
  await page.locator('.desk-decision.planned').getByText('Who decides: ').waitFor()
  for (const title of ['Requests to the team', 'Private questions to you']) {
    await waitForHeading(page, title)
  }
  const count = page.getByRole('button', { name: /^2 private messages read and answer/ })
  const waitForFocus = (name: string) =>
    page.getByLabel(`What you say to ${name}`).and(page.locator(':focus')).waitFor()
  await count.click()
  await waitForFocus('Jonas')
  await count.click()
  await waitForFocus('Priya')
  await count.click()
  await waitForFocus('Jonas')
  await checkState(t, page, 'a question that was opened by its count')

  const { page: phone } = await openAs(browser, address, admin, devices.phone)
  await phone.getByRole('link', { name: /^2 waiting Early shift/ }).click()
  await phone.getByRole('heading', { name: 'Waits for an answer' }).waitFor()
  await phone.getByRole('button', { name: /^Decisions and answers/, pressed: true }).waitFor()
}

async function readTimes(t: Test, browser: Browser) {
  const { _id, params, ask, to } = await drill()
  const { page } = await openAs(browser, deskOf(_id), admin)
  await startAllTheSame(page)
  await page.getByText('Cell 7 was warm.').waitFor()
  await to('pauseSession')
  await page.getByText('paused', { exact: true }).waitFor()
  await ask('What now?')
  const note = { content: 'They ask.' }
  const { body } = await call('createSessionNote', { token: admin.token, params, body: note })
  await press(page, /^1 private message read/)
  const asked = page.locator('.talk').getByRole('time')
  const seconds = Math.floor(body.elapsed_ms / 1000)
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  t.equal(await asked.innerText(), clock, 'in private words')
  t.equal(await page.locator('.desk-clock strong').innerText(), clock, 'on the clock')
  t.match(await asked.getAttribute('title'), /^\d\d:\d\d/, 'the time of day is its title')
  await page.reload()
  t.equal(await page.locator('.waits').getByRole('time').first().innerText(), clock, 'in a note')
}

async function readFasterTimes(t: Test, browser: Browser) {
  const session = await create(admin, { scenario_name: 'crisis_response', speed: 2 })
  const { page } = await openAs(browser, deskOf(session._id), admin)
  await startAllTheSame(page)
  await page.getByText('Drill minute').waitFor()
  await page
    .locator('.desk-clock')
    .getByText(/^\d+:\d\d left in real time$/)
    .waitFor()
  await page
    .locator('.waits')
    .getByText(/^\d+:\d\d left in real time$/)
    .first()
    .waitFor()
  await page
    .locator('.decisions')
    .getByText(/^\d+:\d\d left in real time$/)
    .waitFor()
  await page.getByText('asks: decide (5 minutes, 2:30 in real time)').waitFor()
  await page.locator('.decisions').getByText('until minute 5', { exact: true }).waitFor()
  await page.locator('.waits').getByText('until minute 20').waitFor()
  await checkState(t, page, 'a desk with a faster clock')

  const { _id, to } = await drill()
  await to('startSession')
  const { page: planned } = await openAs(browser, deskOf(_id), admin)
  await planned
    .locator('.desk-clock')
    .getByText(/^\d:\d\d:\d\d left$/)
    .waitFor()
  t.equal(await planned.getByText(/real time|Drill minute/).count(), 0, 'shorter as planned')
}

async function stopCounting(t: Test, browser: Browser) {
  const { _id, post, to } = await drill()
  await to('startSession')
  await post('I look at it.')
  const { page } = await openAs(browser, deskOf(_id), admin)
  await page.clock.install()
  await page.reload()
  const times = [page.getByText(/silent for/), page.locator('.desk-clock strong')]
  for (const one of times) await one.waitFor()
  await setDeviceClock(page)
  const [, clock = ''] = await Promise.all(times.map((one) => one.innerText()))
  t.ok(Number.parseInt(clock, 10) < 60, `the hour does not count: ${clock}`)
  await to('pauseSession')
  await page.getByText('paused', { exact: true }).waitFor()
  const read = () => Promise.all(times.map((one) => one.innerText()))
  const before = await read()
  await page.clock.runFor(90_000)
  t.strictSame(await read(), before, 'what has passed stands still')
}

async function showAll(t: Test, browser: Browser) {
  const other = await registerAdmin()
  const { token } = other
  await call('applyQuickSetup', { token, body: { scenario_type: 'crisis_response' } })
  const { _id } = await create(other, { scenario_name: 'crisis_response' })
  for (const role_key of ['food_safety_officer', 'press_officer']) {
    const [link] = await createLinks(other, _id, [{ guest: true, role_key }])
    await joinAs(await take(link), role_key === 'press_officer' ? 'Ben' : 'Ann')
  }
  const params = { session_id: _id }
  await call('startSession', { token, params })
  const { page } = await openAs(browser, deskOf(_id), other, wide)
  await page.getByText('has written nothing yet').nth(1).waitFor()
  const hidden = (name: string) =>
    page.locator(name).evaluate((one) => one.scrollHeight - one.clientHeight)
  t.equal(await hidden('.desk-people'), 0, 'both people are seen as a whole')
  t.ok((await hidden('html')) <= 0, 'the page does not scroll')
  const heights = await page
    .getByText('has written nothing yet')
    .evaluateAll((all) => all.map((one) => one.getClientRects().length))
  t.strictSame(heights, [1, 1], 'each line is one line')
  const isCut = await page.evaluate(`(() => {
    const select = document.querySelector('.speak-where select')
    const whole = select.cloneNode(true)
    whole.style.cssText = 'position: absolute; max-width: none'
    select.after(whole)
    const isCut = select.offsetWidth < whole.offsetWidth
    whole.remove()
    return isCut
  })()`)
  t.notOk(isCut, 'titles are not cut')
  await checkState(t, page, 'a desk with two people')

  await page.locator('.feed').evaluate((feed) => feed.scrollTo(0, 0))
  const { body } = await call('listSessionMessages', { token, params })
  const { conversation_id, sender_id: as_character_id } = body[0]
  const said = { conversation_id, as_character_id, content: 'Look.', client_message_id: 'look' }
  await call('postSessionMessage', { token, params, body: said })
  const news = await page.getByRole('button', { name: '1 new' }).boundingBox()
  const speak = await page.locator('.speak').boundingBox()
  t.ok(news && speak && news.y + news.height <= speak.y, 'the count of news covers no control')
}

async function enlarge(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  const { page, browserErrors } = await openAs(browser, deskOf(_id), admin, devices.enlarged)
  const tabToButton = async (name: string | RegExp) => {
    const button = page.getByRole('button', { name }).first()
    await tabTo(page, button)
    t.ok(await button.isVisible(), `${name}`)
  }
  for (const name of ['Pause', 'End …', /^What happened/, /^Who takes part/, /^Run sheet/]) {
    await tabToButton(name)
  }
  await tabTo(page, page.getByLabel('What the character says'))
  await tabToButton('Say it')
  await tabToButton(/^Decisions and answers/)
  await page.keyboard.press('Enter')
  await tabToButton('Record the team’s choice')
  await page.keyboard.press('Enter')
  await tabToButton('Record it')
  await checkState(t, page, 'a decision at 200 %')
  await page.keyboard.press('Escape')
  t.equal(await overflowOf(page), 0, 'the desk is not wider than the screen')
  t.strictSame(browserErrors, [], 'the browser reports no errors')

  const other = await registerAdmin()
  await call('applyQuickSetup', { token: other.token, body: { scenario_type: 'crisis_response' } })
  const { page: plan } = await openAs(browser, `${address}#/sessions/new`, other, devices.enlarged)
  await waitForHeading(plan, 'Who takes part')
  await tabTo(plan, plan.getByRole('button', { name: 'Create the session' }))
  await checkState(t, plan, 'the plan at 200 %')
  await clickLink(plan, 'Experiments')
  await clickLink(plan, 'Saying what is not known')
  await tabTo(plan, plan.getByRole('button', { name: 'Start the experiment' }))
  await tabTo(plan, plan.getByRole('button', { name: 'Write down the plan' }))
  await checkState(t, plan, 'the experiment at 200 %')
}
