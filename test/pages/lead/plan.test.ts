import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { hourMs, minuteMs } from '../../../src/process/clock.js'
import {
  checkState,
  devices,
  launchBrowser,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { clickLink, leadAddress, openAs, press, waitForHeading } from '../../helpers/lead.js'
import { printed } from '../../helpers/paper.js'
import { type Member, startService } from '../../helpers/service.js'

const { call, url, registerAdmin } = await startService(t)
const address = leadAddress(url)
const scenario_type = 'crisis_response'

t.test('A session that is planned on the page of trainers', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  const admin = await registerAdmin()
  await call('applyQuickSetup', { token: admin.token, body: { scenario_type } })
  t.test('says how long it lasts at each pace', (t) => choosePace(t, browser, admin))
  t.test('names roles by their titles', (t) => nameRoles(t, browser, admin))
  t.test('says why its roles cannot be read', (t) => readRoles(t, browser))
  t.test('is kept while it is written, and asks before a start in the past', (t) =>
    planInPast(t, browser, admin),
  )
  t.test('hands out its links', (t) => copyLinks(t, browser, admin))
  t.test('says where its links do not work', (t) => warnOfLocalLinks(t, browser, admin))
})

async function choosePace(t: Test, browser: Browser, admin: Member) {
  const { page } = await openAs(browser, `${address}#/sessions/new`, admin)
  const pace = page.getByLabel('Pace')
  await pace.waitFor()
  const offered = [
    'As planned, 90 minutes',
    '2 times as fast, 45 minutes',
    '3 times as fast, 30 minutes',
    '5 times as fast, 18 minutes',
    '10 times as fast, 9 minutes',
    '30 times as fast, 3 minutes',
    '60 times as fast, 90 seconds',
    '120 times as fast, 45 seconds',
    'Another pace',
  ]
  t.strictSame(await pace.locator('option').allInnerTexts(), offered)
  t.equal(await page.getByText(/people then have/).count(), 0, 'no warning as planned')
  await page.getByText('The minutes are those of the whole drill').waitFor()
  await pace.selectOption('10')
  await page
    .getByText('Where 3 minutes are planned for an answer, people then have 18 seconds.')
    .waitFor()
  await checkState(t, page, 'a plan at a faster pace')
  await page.getByLabel('Name of the session').fill('Team East')
  await press(page, 'Create the session')
  await page.getByText('Change the session').click()
  await pace.selectOption('2')
  await page
    .getByText('Where 3 minutes are planned for an answer, people then have 90 seconds.')
    .waitFor()
  t.strictSame(await pace.locator('option').allInnerTexts(), offered, 'also in a change')
}

async function nameRoles(t: Test, browser: Browser, { token }: Member) {
  const plan = { name: 'Team West', scenario_name: scenario_type }
  const { body: session } = await call('createSession', { token, body: plan })
  const { page } = await openAs(browser, `${address}#/sessions/${session._id}`, { token })
  const titles = ['Food safety officer on duty', 'Contact for the ward kitchens', 'Press officer']
  for (const title of titles) await page.getByText(`(${title})`).waitFor()
  const text = await page.locator('main').innerText()
  t.notMatch(text, /[a-z]_[a-z]/, 'no key of a role is shown')
  await checkState(t, page, 'a session without places')
}

async function readRoles(t: Test, browser: Browser) {
  const { token } = await registerAdmin()
  for (const one of ['crisis_response', 'onboarding']) {
    await call('applyQuickSetup', { token, body: { scenario_type: one } })
  }
  const { page } = await openAs(browser, `${address}#/sessions`, { token })
  const blueprints = '**/scenario-blueprints/*'
  await page.route(blueprints, (route) => route.abort())
  await clickLink(page, 'Plan a session')
  await page.getByText('No connection.').waitFor()
  await page.unroute(blueprints)
  await press(page, 'Try again')
  const officer = page.getByLabel('Press officer')
  await officer.waitFor()
  const scenario = page.getByLabel('Scenario')
  const before = await scenario.inputValue()
  await page.route(blueprints, (route) => route.abort())
  await scenario.selectOption('onboarding')
  await page.getByText('No connection.').waitFor()
  t.equal(await scenario.inputValue(), before, 'the scenario stays')
  t.ok(await officer.isVisible(), 'with its roles')
  await page.unroute(blueprints)
  await scenario.selectOption('onboarding')
  await officer.waitFor({ state: 'detached' })
  t.equal(await scenario.inputValue(), 'onboarding')
}

/** A time as an input for local time takes it. */
const localIn = (hours: number): string => {
  const at = new Date(Date.now() + hours * hourMs)
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16)
}

async function planInPast(t: Test, browser: Browser, admin: Member) {
  const { page, browserErrors } = await openAs(browser, `${address}#/sessions/new`, admin, {
    ...devices.desktop,
    expected: /422/,
  })
  const name = page.getByLabel('Name of the session')
  const start = page.getByLabel('Start automatically at')
  await name.fill('Team Past')
  await start.fill(localIn(-1))
  await page.getByLabel('Press officer').selectOption({ label: 'Leave empty' })
  await clickLink(page, 'Sessions')
  await waitForHeading(page, 'Sessions')
  await clickLink(page, 'Plan a session')
  await name.waitFor()
  t.equal(await name.inputValue(), 'Team Past', 'what was written is still there')
  t.equal(await page.getByLabel('Press officer').inputValue(), '')
  await press(page, 'Create the session')
  const dialog = page.getByRole('dialog', { name: 'Start in the past?' })
  await dialog.getByText('The drill begins at once').waitFor()
  await checkState(t, page, 'the question before a start in the past')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await start.fill(localIn(-30))
  await press(page, 'Create the session')
  await page.getByText('This is more than a day ago.').first().waitFor()
  await start.fill('2999-01-01T09:00')
  await press(page, 'Create the session')
  const isMissing =
    /starts by itself on Jan 1, 2999.* 0 of \d people have joined. Not here yet: Guest 1/
  await page.getByText(isMissing).waitFor()
  await checkState(t, page, 'a session that starts by itself')
  await clickLink(page, 'To the desk')
  await page.getByText(isMissing).waitFor()
  await checkState(t, page, 'the desk of a session that starts by itself')
  await page.goto(`${address}#/sessions/new`)
  await name.waitFor()
  t.equal(await name.inputValue(), '', 'what was sent is gone')
  t.strictSame(browserErrors, [])
}

async function copyLinks(t: Test, browser: Browser, admin: Member) {
  const { page, browserErrors } = await openAs(browser, `${address}#/sessions/new`, admin)
  await page.getByLabel('Name of the session').fill('Team North')
  await press(page, 'Create the session')
  await waitForHeading(page, 'Is it ready?')
  const paste = async () => {
    await page.getByLabel('Name of the session').fill('')
    await page.getByLabel('Name of the session').press('Control+V')
    return page.getByLabel('Name of the session').inputValue()
  }
  await page.getByText('Change the session').click()
  const place = page.getByRole('listitem').filter({ hasText: 'Press officer' })
  await place.getByRole('button', { name: /^Copy the link/ }).click()
  await page.getByText('The link is copied').first().waitFor()
  t.ok(await page.locator('button:focus', { hasText: 'The link is copied' }).count())
  const copied = await paste()
  await checkState(t, page, 'a session with a link that is copied')

  await clickLink(page, 'Print the pack')
  const sheet = page.locator('.role-card', {
    has: page.getByRole('heading', { name: 'Press officer' }),
  })
  t.equal(await sheet.locator('.link-text').innerText(), copied, 'it is the link of this place')
  await sheet.getByRole('button', { name: /^Copy the link/ }).click()
  await page.getByText('The link is copied').first().waitFor()
  await waitForHeading(page, 'The second reading')
  await waitForHeading(page, 'For trainers and observers only')
  await checkState(t, page, 'a pack with a link that is copied')
  const pages = await printed(page)
  t.ok(pages.length >= (await page.locator('.sheet-of-paper').count()), 'a page for each sheet')
  t.notOk(pages.includes(''), 'and none empty')
  t.strictSame(browserErrors, [])
}

async function warnOfLocalLinks(t: Test, browser: Browser, { token }: Member) {
  const plan = { name: 'Team South', scenario_name: scenario_type }
  const { body: session } = await call('createSession', { token, body: plan })
  const pack = `#/sessions/${session._id}/pack`
  const local = `${url.replace('127.0.0.1', 'localhost')}/lead${pack}`
  const { page: here } = await openAs(browser, local, { token }, devices.phone)
  await here.getByText('This address works on this computer only.').waitFor()
  const { page: there } = await openAs(browser, `${address}${pack}`, { token })
  await there.getByRole('button', { name: 'Print' }).waitFor()
  t.equal(await there.getByText('works on this computer only').count(), 0)
}
