import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { boxOf, openChannel, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { address, enter } = await openDrills(service)

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('asks before it lets someone leave', (t) => stay(t, browser))
  t.test('keeps what was not sent for a participant who leaves', (t) => keepDrafts(t, browser))
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
