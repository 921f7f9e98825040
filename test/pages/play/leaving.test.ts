import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, openChannel, openDrills, openLink, storedIn } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { address, enter } = await openDrills(service)

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('asks before it lets someone leave', (t) => stay(t, browser))
  t.test('keeps what was not sent for a participant who leaves', (t) => keepDrafts(t, browser))
  t.test('forgets a guest who leaves a shared device', (t) => forget(t, browser))
  t.test('shows the other sessions to a person with an account who leaves', (t) =>
    seeOthers(t, browser),
  )
  t.test('knows what was read when a participant comes back', (t) => comeBack(t, browser))
})

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

async function stay(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await press(page, 'Situation and role')
  await press(page, 'Leave the drill')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading').and(page.locator(':focus')).waitFor()
  const buttons = await dialog.getByRole('button').allInnerTexts()
  t.strictSame(buttons, ['Stay', 'Leave the drill'], 'there is one way to close it')
  await checkState(t, page, 'the question before leaving')
  await dialog.getByRole('button', { name: 'Stay' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
}

async function leave(page: Page): Promise<void> {
  await press(page, 'Situation and role')
  await leaveHere(page)
}

async function leaveHere(page: Page): Promise<void> {
  await press(page, 'Leave the drill')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The trainer sees that you have left.').waitFor()
  await dialog.getByText('What you have not sent waits for you in this browser.').waitFor()
  await dialog.getByRole('button', { name: 'Leave the drill' }).click()
  await heading(page, 'You have left the drill')
}

async function agreeAgain(page: Page): Promise<void> {
  await heading(page, 'Before you take part')
  await page.getByRole('checkbox').check()
  await press(page, 'Take part')
}

async function keepDrafts(t: Test, browser: Browser) {
  const { page, secret, secretOfJonas } = await enter(browser)
  await boxOf(page).fill('A draft of Priya.')
  await leave(page)
  await openLink(page, address, secretOfJonas)
  await press(page, 'Yes, go on')
  await press(page, 'I have read it')
  await openChannel(page, 'cell-readings')
  t.equal(await boxOf(page).inputValue(), '', 'a person with another place does not see it')
  await openLink(page, address, secret)
  await press(page, 'Yes, go on')
  await agreeAgain(page)
  await openChannel(page, 'cell-readings')
  t.equal(await boxOf(page).inputValue(), 'A draft of Priya.')
}

async function forget(t: Test, browser: Browser) {
  const { page, secret } = await enter(browser)
  await boxOf(page).fill('A draft of Priya.')
  await leave(page)
  await press(page, 'Forget me on this device')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('What you have not sent is deleted.').waitFor()
  await checkState(t, page, 'the question before forgetting')
  await dialog.getByRole('button', { name: 'Forget me on this device' }).click()
  await heading(page, 'Take part with your account')
  t.strictSame(await storedIn(page), [], 'nothing is kept')
  await openLink(page, address, secret)
  await press(page, 'Yes, go on')
  t.equal(await page.getByLabel('Your name').inputValue(), '', 'the name is gone')
  await page.getByLabel('Your name').fill('Priya')
  await press(page, 'Next')
  await agreeAgain(page)
  await press(page, 'I have read it')
  await openChannel(page, 'cell-readings')
  t.equal(await boxOf(page).inputValue(), '', 'the draft is gone')
}

async function seeOthers(t: Test, browser: Browser) {
  const { user_id, token, email, password } = await service.registerAdmin()
  const body = { name: 'Late shift', scenario_name: 'crisis_response', participants: [{ user_id }] }
  await service.call('createSession', { token, body })
  const { page } = await openDevice(browser)
  await page.goto(address)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Log in')
  await press(page, 'Late shift')
  await agreeAgain(page)
  await press(page, 'I have read it')
  await heading(page, 'Waiting for the start')
  await leaveHere(page)
  const buttons = await page.getByRole('button').allInnerTexts()
  t.strictSame(buttons, ['Take part again', 'Show my drills'])
  await press(page, 'Show my drills')
  await page.getByRole('button', { name: /Late shift/ }).waitFor()
}

async function comeBack(t: Test, browser: Browser) {
  const { page, secret, post } = await enter(browser)
  await page.locator('.entry', { hasText: 'kitchen-calls' }).getByText('2 new messages').waitFor()
  await openChannel(page, 'kitchen-calls')
  await leave(page)
  await post('While you were away.')
  await page.goto(`${address}#${secret}`)
  await agreeAgain(page)
  await heading(page, '# kitchen-calls')
  await page.locator('.entry', { hasText: 'cell-readings' }).getByText('1 new message').waitFor()
  t.equal(
    await page.locator('.entry', { hasText: 'kitchen-calls' }).getByText('new message').count(),
    0,
    'what was read stays read',
  )
}
