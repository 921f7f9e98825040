import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Schema } from '../../../src/contract.js'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { byteOrderMark } from '../../helpers/bytes.js'
import { t } from '../../helpers/file.js'
import { clickLink, leadAddress, logIn, openAs, press, waitForHeading } from '../../helpers/lead.js'
import { type Member, startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { call, url, registerAdmin, addMember } = service
const address = leadAddress(url)
const scenario_name = 'crisis_response'
const criterion = 'Answer the kitchen'
const name = 'Saying what is not known'

t.test('The page of an experiment', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('compares two arms, from the plan to the data', (t) => compare(t, browser))
  t.test('says that there is nothing to compare', (t) => freezeNothing(t, browser))
})

async function compare(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser)
  const admin = await registerAdmin()
  const sessions = await planSessions(admin)
  await page.goto(`${address}#/experiments`)
  await logIn(page, admin)
  await clickLink(page, name)
  await waitForHeading(page, 'The two arms')
  await page.getByText('It is not written down how the arms will be compared.').waitFor()
  await page.getByText('An arm is empty, or more than twice as large').waitFor()
  await page.getByText('is 1, above the level of significance (0.05).').waitFor()
  await writePlan(t, page)
  await assign(t, page)
  await page.getByText('is 0.0286; the level of significance is 0.05.').waitFor()
  await press(page, 'Start the experiment')
  const question = page.getByRole('dialog')
  await question.getByText('neither the arms nor the plan can change').waitFor()
  t.equal(await question.getByText('still open').count(), 0)
  await question.getByRole('button', { name: 'Start the experiment' }).click()
  await page.getByText('0 of 8 sessions are over, 0 run.').waitFor()
  await page.getByText('First all sessions have to be over').waitFor()
  t.equal(await freezing(page).count(), 0, 'nothing is frozen before the sessions are over')
  await readGerman(t, browser, admin, sessions)
  await playAndRate(admin, sessions)
  await page.reload()
  await conclude(t, page)
  await readResults(t, page)
  await saveData(t, page)
  await readAsHr(t, browser, admin)
  const params = { session_id: sessions[0] ?? '' }
  await call('deleteSession', { token: admin.token, params })
  await page.reload()
  await page.getByText('Show which session is in which arm').click()
  await page.getByText('a deleted session', { exact: true }).waitFor()
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

/** Creates eight sessions, enough to distinguish a difference from chance. */
async function planSessions({ token }: Member): Promise<string[]> {
  await call('applyQuickSetup', { token, body: { scenario_type: scenario_name } })
  const ids: string[] = []
  for (let number = 1; number <= 8; number++) {
    const body = { name: `Team ${number}`, scenario_name, speed: 120 }
    const answer = await call('createSession', { token, body })
    ids.push(answer.body._id)
  }
  return ids
}

async function writePlan(t: Test, page: Page) {
  const options = page.getByLabel('Main outcome').getByRole('option')
  t.match(await options.allTextContents(), [
    'Minutes until a participant first answers the school kitchen',
    "Share of participants who answer the editor's call",
  ])
  t.equal(await page.getByLabel('What you expect').inputValue(), 'decrease', 'sooner is less')
  t.equal(await page.locator('button.primary').count(), 0, 'nothing urges to start too early')
  await press(page, 'Start the experiment')
  await page.getByText(/results will be for ideas only\. \d points are still open/).waitFor()
  await checkState(t, page, 'the question before the start')
  await press(page, 'Cancel')
  await page.getByLabel('Main outcome').selectOption({ label: `Rating: ${criterion}` })
  await page.getByLabel('Smallest difference that matters').fill('1')
  await page.reload()
  await page.getByLabel('Smallest difference that matters').waitFor()
  t.equal(await page.getByLabel('Smallest difference that matters').inputValue(), '1')
  await checkState(t, page, 'the draft')
  await press(page, 'Write down the plan')
  await page.getByText('Change the plan').waitFor()
  await page.getByText(`Rating: ${criterion} · more with the intervention`).waitFor()
}

async function assign(t: Test, page: Page) {
  for (const team of await page.getByRole('checkbox').all()) await team.check()
  await page.getByLabel('Seed').fill('spring')
  await press(page, 'Assign 8 sessions')
  await page.getByText(/^Assigned: (Team \d(, )?){8}\.$/).waitFor()
  await page.locator('summary:focus', { hasText: 'Assign again' }).waitFor()
  await page.getByText('Show which session is in which arm').click()
  await page.getByText('Assigned at random with the seed spring.').waitFor()
  await page.getByText('From when to when it runs', { exact: true }).click()
  await page.getByLabel('From', { exact: true }).fill('2030-01-07T09:00')
  await page.getByLabel('To', { exact: true }).fill('2030-01-11T17:00')
  await press(page, 'Save')
  const isReady = async () => (await page.locator('.checks .failed').count()) === 0
  await until(isReady)
  await checkState(t, page, 'the experiment that is ready')
}

/** While the first session runs. */
async function readGerman(t: Test, browser: Browser, admin: Member, [first = '']: string[]) {
  const params = { session_id: first }
  await call('startSession', { token: admin.token, params, body: {} })
  const { page } = await openAs(browser, address, admin, { ...devices.phone, locale: 'de-DE' })
  const places = { scenario: `scenarios/${scenario_name}`, plan: 'sessions/new' }
  for (const [title, place] of Object.entries({ ...places, session: `sessions/${first}` })) {
    await page.goto(`${address}#/${place}`)
    await page.getByText('Die Texte dieses Szenarios sind auf Englisch.').waitFor()
    await checkState(t, page, `the ${title} in German`)
  }
  await page.getByText(/^\d+ Nachrichten?/).waitFor()
  await clickLink(page, 'Sitzungen')
  await page
    .getByText(/^Crisis response/)
    .nth(7)
    .waitFor()
  await clickLink(page, 'Experimente')
  await clickLink(page, name)
  await page.getByText('0 von 8 Sitzungen sind vorbei, 1 läuft.').waitFor()
  await page.getByText('0,05', { exact: true }).waitFor()
  await checkState(t, page, 'the experiment in German')
}

const freezing = (page: Page) => page.getByRole('button', { name: 'Freeze and show the results' })

/** An experiment whose sessions were deleted has nothing to compare. */
async function freezeNothing(t: Test, browser: Browser) {
  const admin = await registerAdmin()
  const { token } = admin
  const [session_id = ''] = await planSessions(admin)
  const { body } = await call('listExperiments', { token })
  const params = { experiment_id: body[0]._id }
  const arms = { control_session_ids: [session_id] }
  await call('updateExperiment', { token, params, body: arms })
  await call('updateExperiment', { token, params, body: { status: 'running' } })
  const { page } = await openAs(browser, `${address}#/sessions/${session_id}`, admin)
  await press(page, 'Delete')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It belongs to an experiment, which loses it.').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Team 2').waitFor()
  await page.goto(`${address}#/experiments/${params.experiment_id}`)
  await page.getByText('Sessions that do not exist').first().waitFor()
  await freezing(page).click()
  await dialog.getByText('the results will be empty, and stay so').waitFor()
  await checkState(t, page, 'the question before freezing nothing')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
}

/** Starts, ends and rates the sessions. The ratings are better in the intervention arm. */
async function playAndRate({ token }: Member, sessions: readonly string[]) {
  const { body: experiments } = await call('listExperiments', { token })
  const { intervention_session_ids } = experiments[0] as Schema<'Experiment'>
  for (const [index, session_id] of sessions.entries()) {
    const params = { session_id }
    await call('startSession', { token, params, body: {} })
    await call('endSession', { token, params, body: {} })
    const isBetter = intervention_session_ids.includes(session_id)
    const ratings = [{ criterion, value: (isBetter ? 4 : 2) + (index % 2) }]
    await call('rateSession', { token, params, body: { ratings } })
  }
}

async function conclude(t: Test, page: Page) {
  await page.getByText('8 of 8 sessions are over, 0 run.').waitFor()
  t.equal(await page.getByLabel('Why').count(), 0, 'nobody concludes before the results')
  await freezing(page).and(page.locator('.primary')).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Nothing can be added afterwards').waitFor()
  t.equal(await dialog.getByText('empty').count(), 0)
  await checkState(t, page, 'the question before freezing')
  await dialog.getByRole('button', { name: 'Freeze and show the results' }).click()
  await waitForHeading(page, /^Results$/)
  await page.getByLabel('What you decide').selectOption('adopt')
  await page.getByLabel('Why').fill('The kitchens could act on what they were told.')
  await page.reload()
  await page.getByLabel('Why').waitFor()
  t.match(await page.getByLabel('Why').inputValue(), /^The kitchens/, 'it is kept')
  t.equal(await page.getByLabel('What you decide').inputValue(), 'adopt')
  await checkState(t, page, 'the conclusion')
  await press(page, 'Conclude the experiment')
  await dialog.getByText('Your conclusion “Adopt the intervention”').waitFor()
  await checkState(t, page, 'the question before the conclusion')
  await dialog.getByRole('button', { name: 'Conclude the experiment' }).click()
  await waitForHeading(page, /^Conclusion$/)
}

async function readResults(t: Test, page: Page) {
  await page.getByText('main outcome', { exact: true }).waitFor()
  await page.getByText('Adopt the intervention').waitFor()
  await page
    .getByRole('img', { name: /^Control: mean [\d.]+\. Intervention: mean [\d.]+\.$/ })
    .first()
    .waitFor()
  await page
    .getByRole('img', { name: /^Intervention minus control: .* The interval is from/ })
    .first()
    .waitFor()
  await until(async () => (await page.locator('.arm.intervention circle').count()) >= 4)
  t.equal(
    await page.locator('.chart').first().locator('circle').count(),
    8,
    'a dot for each session',
  )
  await page.getByText(/more outcomes?, for ideas only/).click()
  const ticks = await page.locator('.chart:has(.arm) .axis text').allTextContents()
  t.notOk(
    ticks.some((tick) => tick.startsWith('-')),
    'no value is negative, so no tick is',
  )
  await checkState(t, page, 'the results')
}

async function saveData(t: Test, page: Page) {
  const files: [string, RegExp][] = [
    ['Values (CSV)', /rows\.csv$/],
    ['Values (NDJSON)', /rows\.ndjson$/],
    ['Codebook (CSV)', /codebook\.csv$/],
  ]
  for (const [button, file] of files) {
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)])
    t.match(download.suggestedFilename(), file)
    const bytes = readFileSync(await download.path())
    t.equal(
      bytes.indexOf(byteOrderMark) === 0,
      /csv/.test(String(file)),
      'Excel reads the CSV as UTF-8',
    )
  }
}

/** hr may read the results, but neither the values of sessions nor their file. */
async function readAsHr(t: Test, browser: Browser, { organization_id }: Member) {
  const { page, browserErrors } = await openAs(
    browser,
    address,
    await addMember(organization_id, 'hr'),
  )
  await clickLink(page, 'Experiments')
  await clickLink(page, name)
  await waitForHeading(page, /^Results$/)
  await page
    .getByRole('img', { name: /^Intervention minus control:/ })
    .first()
    .waitFor()
  t.equal(await page.locator('.arm circle').count(), 0)
  t.equal(await page.getByRole('button', { name: /Values|Codebook/ }).count(), 0)
  await checkState(t, page, 'the results for hr')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}
