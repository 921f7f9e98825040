import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { leadAddress, logIn, openAs, press, waitForHeading } from '../../helpers/lead.js'
import { type Member, startService } from '../../helpers/service.js'

const { call, url, registerAdmin, addMember } = await startService(t)
const address = leadAddress(url)
const scenario = `${address}#/scenarios/crisis_response`

t.test('A scenario that is set up, on the page of trainers', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('shows what was set up, and can be taken back', (t) => takeBack(t, browser))
  t.test('is what was previewed', (t) => previewAgain(t, browser))
  t.test('stays when it cannot be taken back, and says why', (t) => refuseToTakeBack(t, browser))
  t.test('can be taken back by administrators only', (t) => hideFromHr(t, browser))
})

const apply = async ({ token }: Member, body = {}) =>
  (await call('applyQuickSetup', { token, body: { scenario_type: 'crisis_response', ...body } }))
    .body

async function openScenario(browser: Browser, admin: Member) {
  const device = await openDevice(browser)
  await device.page.goto(scenario)
  await logIn(device.page, admin)
  await waitForHeading(device.page, 'Set up this scenario')
  return device
}

async function openDialog(page: Page) {
  await press(page, 'Take it back …')
  const dialog = page.getByRole('dialog', { name: 'Take this setup back?' })
  await dialog.waitFor()
  return { dialog, confirm: dialog.getByRole('button', { name: 'Take it back', exact: true }) }
}

async function takeBack(t: Test, browser: Browser) {
  const admin = await registerAdmin()
  const { page, browserErrors } = await openScenario(browser, admin)
  await press(page, 'Show what would be set up')
  await press(page, 'Set it up')
  await page.getByText(/^Created \d+$/).waitFor()
  await page.getByText('Channels:').waitFor()
  await page.getByRole('link', { name: 'Plan a session' }).waitFor()
  await checkState(t, page, 'the scenario that was set up')
  await page.reload()
  await page.getByText('What was set up').click()
  await page.getByText(/^Created \d+$/).waitFor()

  const { dialog, confirm } = await openDialog(page)
  await dialog.getByText(/^This is removed/).waitFor()
  await dialog.getByText('Planned sessions stay').waitFor()
  await checkState(t, page, 'the question before a setup is taken back')
  await confirm.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('What was set up').waitFor({ state: 'detached' })
  await page.locator('h2:focus', { hasText: 'Set up this scenario' }).waitFor()
  const { body } = await call('listQuickSetups', { token: admin.token })
  t.match(body, [{ rolled_back_by: admin.user_id }])
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function previewAgain(t: Test, browser: Browser) {
  const admin = await registerAdmin()
  const { page } = await openScenario(browser, admin)
  const size = page.getByLabel('Characters')
  const preview = page.getByRole('heading', { name: 'This would be set up' })
  const show = () => press(page, 'Show what would be set up')
  await show()
  await preview.waitFor()
  await size.fill('9')
  await preview.waitFor({ state: 'detached' })
  await page.reload()
  await size.waitFor()
  t.equal(await size.inputValue(), '9', 'it is kept')
  await show()
  await preview.waitFor()
  await page.getByText('Adjust how this workplace behaves').click()
  await page.getByLabel('Culture').selectOption({ label: 'Clan' })
  await preview.waitFor({ state: 'detached' })

  const pattern = '**/quick-setup/preview'
  await page.route(pattern, async (route) => {
    await size.fill('8')
    await route.continue()
  })
  const answer = page.waitForResponse(pattern)
  await show()
  await (await answer).finished()
  await page.locator('button[aria-disabled="false"]', { hasText: 'Show what' }).waitFor()
  t.equal(await preview.count(), 0, 'an answer for earlier inputs is not shown')
  await page.unroute(pattern)
  await show()
  await press(page, 'Set it up')
  await page.getByText(/^Created \d+$/).waitFor()
  const { body } = await call('listQuickSetups', { token: admin.token })
  t.match(body, [{ team_size: 8, models: { org_culture: 'clan' } }])
}

async function refuseToTakeBack(t: Test, browser: Browser) {
  const admin = await registerAdmin()
  const { token } = admin
  await apply(admin)
  const { page } = await openScenario(browser, admin)
  const first = await openDialog(page)
  await apply(admin, { team_size: 7 })
  await first.confirm.click()
  await first.dialog.getByText('Someone has set up this scenario again').waitFor()
  await first.dialog.getByRole('button', { name: 'Show how it is now' }).press('Enter')
  await first.dialog.waitFor({ state: 'detached' })
  await page.locator('h2:focus', { hasText: 'Set up this scenario' }).waitFor()

  const plan = { name: 'Team East', scenario_name: 'crisis_response' }
  const { body: session } = await call('createSession', { token, body: plan })
  await call('startSession', { token, params: { session_id: session._id } })
  const second = await openDialog(page)
  await second.confirm.click()
  await second.dialog.getByText('People use parts of this setup already.').waitFor()
  await second.dialog.getByText('In a session that has started:').waitFor()
  t.equal(await second.dialog.getByText(/^This is removed/).count(), 0, 'nothing is removed')
  t.equal(await second.confirm.count(), 0, 'it cannot be taken back now')
  await checkState(t, page, 'the refusal to take a setup back')
  await second.dialog.getByRole('button', { name: 'Close' }).and(page.locator(':focus')).click()
  await second.dialog.waitFor({ state: 'detached' })
  const { body: setups } = await call('listQuickSetups', { token })
  t.match(setups, [{ rolled_back_at: null }, { rolled_back_at: null }])
}

async function hideFromHr(t: Test, browser: Browser) {
  const admin = await registerAdmin()
  await apply(admin)
  const { page } = await openAs(browser, address, await addMember(admin.organization_id, 'hr'))
  await page.goto(scenario)
  await page.getByText('What was set up').waitFor()
  t.equal(await page.getByRole('button', { name: /^Take it back/ }).count(), 0)
}
