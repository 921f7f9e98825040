import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  overflowOf,
  skipWithoutBrowser as skip,
  tabTo,
  warnOfCommon,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { clickLink, leadAddress, logIn, openAs, press, waitForHeading } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { call, url, registerAdmin, addMember } = service
const address = leadAddress(url)

t.test('The page of trainers', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('can be used with a keyboard alone, 320 pixels wide', (t) => useKeys(t, browser))
  t.test('asks for a new password after a temporary one', (t) => changePassword(t, browser))
  t.test('says that each tab has a login of its own', (t) => openTwice(t, browser))
  t.test('shows only what a role may do', (t) => showByRole(t, browser))
  t.test('is in German for a browser in German', (t) => readGerman(t, browser))
})

async function useKeys(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, devices.narrow)
  const admin = await registerAdmin()
  const { token } = admin
  await call('applyQuickSetup', { token, body: { scenario_type: 'crisis_response' } })
  const plan = { name: 'Team South', scenario_name: 'crisis_response' }
  const { body: session } = await call('createSession', { token, body: plan })
  const params = { session_id: session._id }
  const pressByKey = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
    await tabTo(page, page.getByRole(role, { name }).first())
    await page.keyboard.press('Enter')
  }
  await page.goto(address)
  await tabTo(page, page.getByLabel('E-mail address'))
  await page.keyboard.type(admin.email)
  await tabTo(page, page.getByLabel('Password'))
  await page.keyboard.type(admin.password)
  await page.keyboard.press('Enter')
  await pressByKey('Team South', 'link')
  await page.locator('h1:focus', { hasText: 'Team South' }).waitFor()
  await pressByKey('Start')
  await pressByKey('Start all the same')
  await page.getByText('running').waitFor()
  t.equal(await overflowOf(page), 0, 'the desk is not wider than the screen')
  await tabTo(page, page.getByLabel('What the character says'))
  await page.keyboard.type('By keys.')
  await pressByKey('Say it')
  await until(async () => {
    const { body } = await call('listSessionMessages', { token, params })
    return body.some(({ content }: { content: string }) => content === 'By keys.')
  })
  await pressByKey(/^Decisions and answers/)
  await tabTo(page, page.getByPlaceholder('What you have noticed'))
  await page.keyboard.type('All by keys.')
  await pressByKey('Keep the note')
  await page.getByText('All by keys.').waitFor()
  t.equal(await overflowOf(page), 0, 'the notes are not wider than the screen')
  await pressByKey('Pause')
  await pressByKey('Go on')
  await pressByKey('End …')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function changePassword(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, devices.phone)
  const admin = await registerAdmin()
  await page.goto(`${address}#/people`)
  await logIn(page, admin)
  await waitForHeading(page, 'Invite someone')
  const email = `hana-${Date.now()}@lead.example`
  await page.getByLabel('First name').fill('Hana')
  await page.getByLabel('Last name').fill('Okafor')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Role').selectOption('hr')
  await page.reload()
  await page.getByLabel('First name').waitFor()
  t.equal(await page.getByLabel('First name').inputValue(), 'Hana', 'it is kept')
  await press(page, 'Invite')
  const password = await page.locator('.notice.good strong').innerText()
  await checkState(t, page, 'the people')
  await press(page, 'Log out')
  await logIn(page, { email, password })
  await waitForHeading(page, 'Choose a new password')
  await checkState(t, page, 'the change of the password')
  await page.getByLabel('Temporary password').fill(password)
  await warnOfCommon(t, page, 'New password')
  await page.getByLabel('New password').fill('hana has a password')
  await press(page, 'Choose a new password')
  await waitForHeading(page, 'People')
}

async function openTwice(t: Test, browser: Browser) {
  const { page } = await openAs(browser, address, await registerAdmin())
  await waitForHeading(page, 'Sessions')
  const second = await page.context().newPage()
  await second.goto(address)
  const hint = 'This page keeps your login in one tab'
  await second.getByText(hint).waitFor()
  await checkState(t, second, 'the login in a second tab')
  await press(page, 'Log out')
  await waitForHeading(page, 'Log in')
  await second.reload()
  await waitForHeading(second, 'Log in')
  for (const one of [page, second]) {
    t.equal(await one.getByText(hint).count(), 0, 'no tab is logged in')
  }
}

async function showByRole(t: Test, browser: Browser) {
  const admin = await registerAdmin()
  const { token, organization_id } = admin
  await call('applyQuickSetup', { token, body: { scenario_type: 'crisis_response' } })
  const plan = { name: 'Team West', scenario_name: 'crisis_response' }
  await call('createSession', { token, body: plan })

  const { page: hr } = await openAs(browser, address, await addMember(organization_id, 'hr'))
  await clickLink(hr, 'Scenarios')
  await clickLink(hr, 'Crisis response')
  await press(hr, 'Show what would be set up')
  await hr.getByText('An administrator of your organization can set it up.').waitFor()
  t.equal(await hr.getByRole('button', { name: 'Set it up' }).count(), 0)
  await clickLink(hr, 'Experiments')
  await clickLink(hr, 'Saying what is not known')
  await waitForHeading(hr, 'The two arms')
  t.equal(
    await hr.getByRole('button', { name: /Start the experiment|Assign|Write down/ }).count(),
    0,
  )
  await clickLink(hr, 'Sessions')
  await clickLink(hr, 'Team West')
  await hr.getByRole('button', { name: 'Start' }).waitFor()
  await checkState(t, hr, 'a session for hr')

  const { page: executive } = await openAs(
    browser,
    address,
    await addMember(organization_id, 'executive'),
  )
  await waitForHeading(executive, 'Sessions')
  await executive.getByText('There is no session that you may read yet.').waitFor()
  t.equal(await executive.getByRole('link', { name: /Plan|Scenarios|People/ }).count(), 0)

  const { page: employee } = await openAs(
    browser,
    address,
    await addMember(organization_id, 'employee'),
  )
  await waitForHeading(employee, 'This page is for trainers')
  await checkState(t, employee, 'the page for an employee')
}

async function readGerman(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, { ...devices.phone, locale: 'de-AT' })
  await page.goto(address)
  await waitForHeading(page, 'Anmelden')
  t.equal(await page.evaluate('document.documentElement.lang'), 'de')
  await press(page, 'Anmelden')
  const email = page.getByLabel('E-Mail-Adresse').and(page.locator(':focus'))
  await email.and(page.locator('[aria-invalid="true"]')).waitFor()
  t.equal(await page.getByText('Bitte füllen Sie das aus.').count(), 2, 'at both fields')
  await email.fill('nils')
  t.equal(await page.getByText('Bitte füllen Sie das aus.').count(), 1)
  await press(page, 'Anmelden')
  await page.getByText('Bitte geben Sie eine E-Mail-Adresse ein').waitFor()
  await checkState(t, page, 'a login that is not filled in')
}
