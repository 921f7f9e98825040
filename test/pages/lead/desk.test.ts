import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  overflowOf,
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
const { admin, drill } = await openDrills(service)
const { take, joinAs } = seatsOf(service)
const address = leadAddress(url)
const deskOf = (id: string) => `${address}#/sessions/${id}/run`

t.test('The desk', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('opens the items behind each count', (t) => followCounts(t, browser))
  t.test('shows times on the clock of the session', (t) => readTimes(t, browser))
  t.test('lets a trainer resume the drill in a decision', (t) => decideInPause(t, browser))
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
  const count = page.getByRole('button', { name: /^2 questions read and answer/ })
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
  await press(page, /^1 question read/)
  const asked = page.locator('.talk').getByRole('time')
  const seconds = Math.floor(body.elapsed_ms / 1000)
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  t.equal(await asked.innerText(), clock, 'in private words')
  t.equal(await page.locator('.desk-clock strong').innerText(), clock, 'on the clock')
  t.match(await asked.getAttribute('title'), /^\d\d:\d\d/, 'the time of day is its title')
  await page.reload()
  t.equal(await page.locator('.waits').getByRole('time').first().innerText(), clock, 'in a note')
}

async function decideInPause(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  const { page } = await openAs(browser, deskOf(_id), admin)
  await press(page, 'Record the team’s choice')
  const dialog = page.getByRole('dialog')
  const recordIt = dialog.getByRole('button', { name: 'Record it' })
  await recordIt.focus()
  await to('pauseSession')
  await dialog.getByText('The clock stands still.').waitFor()
  t.ok(await recordIt.and(page.locator(':focus')).isDisabled(), 'the button stays, with the focus')
  await dialog.getByRole('textbox').press('Enter')
  t.equal(await dialog.getByText('Please choose one.').count(), 0, 'nothing is sent')
  await checkState(t, page, 'a decision in a pause')
  await page.getByText('The clock stands still', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Go on' }).press('Enter')
  await recordIt.and(page.locator(':focus')).waitFor()
  await recordIt.click()
  await dialog.getByRole('group').getByText('Please choose one.').waitFor()
  await dialog.getByRole('radio', { name: 'Recall it all.' }).check()
  await recordIt.click()
  await page.getByText('Recall it all. (recorded by a trainer).').waitFor()
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
