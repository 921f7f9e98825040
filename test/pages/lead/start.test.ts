import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { openLab } from '../../helpers/experiments.js'
import { t } from '../../helpers/file.js'
import {
  clickLink,
  leadAddress,
  logIn,
  openAs,
  press,
  startAllTheSame,
  waitForHeading,
} from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'
import { sessionsOf } from '../../helpers/sessions.js'

const service = await startService(t)
const { admin, drill, create, read } = await openDrills(service)
const { createLinks, take, joinAs } = seatsOf(service)
const { change } = sessionsOf(service)
const { draft, update } = openLab(service, admin)
const address = leadAddress(service.url)
const scenario_name = 'crisis_response'

t.test('The start of a session', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('asks first if some participants have not joined', (t) => startEarly(t, browser))
  t.test('asks first if the session has no participants', (t) => startEmpty(t, browser))
  t.test('does not ask once all have joined', (t) => startComplete(t, browser))
  t.test('asks first if the experiment does not run', (t) => startInDraft(t, browser))
  t.test('is shown, as is the end, without asking again and again', (t) => follow(t, browser))
})

async function startEarly(t: Test, browser: Browser) {
  const { _id } = await drill()
  const { page, browserErrors } = await openAs(browser, `${address}#/sessions/${_id}/run`, admin)
  await press(page, 'Start')
  const dialog = page.getByRole('dialog', { name: 'Start all the same?' })
  await dialog.getByText('1 of 2 people have joined.').waitFor()
  await dialog.getByText('Not here yet: Guest 1 (Food safety officer on duty).').waitFor()
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
  const isAbsent = page.getByText('1 of 2 people have joined.')
  await isAbsent.waitFor()
  await joinAs(await take(link), 'Priya')
  await isAbsent.waitFor({ state: 'detached' })
  await press(page, 'Start')
  await page.getByText('running', { exact: true }).waitFor()
  t.match(await read(admin, { _id }), { status: 'running' })
}

async function startInDraft(t: Test, browser: Browser) {
  const { _id, link } = await drill()
  await joinAs(await take(link), 'Priya')
  const experiment_id = await draft({ name: 'Spring', control_session_ids: [_id] })
  const { page, browserErrors } = await openAs(browser, `${address}#/sessions/${_id}`, admin)
  await page.getByText('Its experiment does not run.').waitFor()
  await page.getByText('To do: Start the experiment first.').waitFor()
  t.equal(await page.getByText('Everything is ready').count(), 0)
  await checkState(t, page, 'a session whose experiment does not run')
  await press(page, 'Start')
  await page.getByRole('dialog').getByText('an experiment that does not run.').waitFor()
  await page.keyboard.press('Escape')
  await clickLink(page, /^Experiment$/)
  await waitForHeading(page, 'Spring')
  await update(experiment_id, { status: 'running' })
  await page.goBack()
  await waitForHeading(page, 'Is it ready?')
  t.equal(await page.getByText('Its experiment').count(), 0, 'nothing is said once it runs')
  t.strictSame(browserErrors, [])
}

/** Here the page cannot ask at intervals. */
async function follow(t: Test, browser: Browser) {
  const { _id } = await create(admin, { scenario_name })
  const links = await createLinks(admin, _id, await seatsForRoles(_id))
  const { page } = await openDevice(browser)
  await page.addInitScript('window.setInterval = () => 0')
  await page.goto(`${address}#/sessions/${_id}`)
  await logIn(page, admin)
  await page.getByText('Everything is prepared.').waitFor()
  for (const [i, link] of links.entries()) await joinAs(await take(link), `Priya ${i}`)
  await page.getByText('Everything is ready.').waitFor()
  await change('startSession', admin, { _id })
  await page.getByText('running', { exact: true }).waitFor()
  await change('endSession', admin, { _id })
  await page.getByText('completed', { exact: true }).waitFor()
  t.match(await read(admin, { _id }), { status: 'completed' })
}

/** A place for a guest in each role of a session. */
async function seatsForRoles(session_id: string) {
  const { body } = await service.call('getBriefing', { token: admin.token, params: { session_id } })
  return body.facilitator.roles.map(({ role_key }: { role_key: string }) => ({
    guest: true,
    role_key,
  }))
}
