import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press, startAllTheSame } from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { admin, drill, create, read } = await openDrills(service)
const { take, joinAs } = seatsOf(service)
const address = leadAddress(service.url)
const scenario_name = 'crisis_response'

t.test('The start of a session', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('asks first if some participants have not joined', (t) => startEarly(t, browser))
  t.test('asks first if the session has no participants', (t) => startEmpty(t, browser))
  t.test('does not ask once all have joined', (t) => startComplete(t, browser))
})

async function startEarly(t: Test, browser: Browser) {
  const { _id } = await drill()
  const { page, browserErrors } = await openAs(browser, `${address}#/sessions/${_id}/run`, admin)
  await press(page, 'Start')
  const dialog = page.getByRole('dialog', { name: 'Start all the same?' })
  await dialog.getByText('1 of 2 people have joined.').waitFor()
  await checkState(t, page, 'the question before an early start')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  t.match(await read(admin, { _id }), { status: 'draft' }, 'nothing has started')
  await startAllTheSame(page)
  await page.getByRole('button', { name: 'Pause' }).and(page.locator(':focus')).waitFor()
  t.match(await read(admin, { _id }), { status: 'running' })
  t.strictSame(browserErrors, [])
}

async function startEmpty(t: Test, browser: Browser) {
  const { _id } = await create(admin, { scenario_name })
  const { page } = await openAs(browser, `${address}#/sessions/${_id}`, admin)
  await press(page, 'Start')
  await page.getByRole('dialog').getByText('This session has no participants.').waitFor()
  await page.keyboard.press('Escape')
  t.match(await read(admin, { _id }), { status: 'draft' }, 'nothing has started')
  await startAllTheSame(page)
  await page.getByText('running', { exact: true }).waitFor()
}

async function startComplete(t: Test, browser: Browser) {
  const { _id, link } = await drill()
  const { page } = await openAs(browser, `${address}#/sessions/${_id}`, admin)
  await page.getByRole('button', { name: 'Start' }).waitFor()
  await joinAs(await take(link), 'Priya')
  await press(page, 'Start')
  await page.getByText('running', { exact: true }).waitFor()
  t.match(await read(admin, { _id }), { status: 'running' })
}
