import type { Browser, Page, Route } from 'playwright-core'
import type { Test } from 'tap'
import { launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { joinAs, take } = seatsOf(service)
const { admin, drill } = await openDrills(service)
const open = (browser: Browser, id: string, view: 'run' | 'rate') =>
  openAs(browser, `${leadAddress(service.url)}#/sessions/${id}/${view}`, admin)

t.test('What a trainer writes while the words before it are sent', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('stays in the field of a note', (t) => keepNote(t, browser))
  t.test('stays in the field for all, and reaches no participant', (t) => keepWords(t, browser))
  t.test('stays among the ratings', (t) => keepRating(t, browser))
})

/** Presses a button, and does something before its request goes on to the service. */
async function pressAndThen(
  page: Page,
  button: string,
  requests: string,
  act: () => Promise<void>,
) {
  const handOn = async (route: Route) => {
    await act()
    await route.continue()
  }
  await page.route(requests, handOn, { times: 1 })
  await press(page, button)
}

async function keepNote(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  const { page } = await open(browser, _id, 'run')
  const field = page.getByPlaceholder('What you have noticed')
  await field.fill('They ask.')
  await pressAndThen(page, 'Keep the note', '**/notes', () => field.fill('They wait.'))
  await page.locator('.waits').getByText('They ask.', { exact: true }).waitFor()
  t.equal(await field.inputValue(), 'They wait.')
  await press(page, 'Keep the note')
  await page.locator('.waits').getByText('They wait.', { exact: true }).waitFor()
  t.equal(await field.inputValue(), '', 'what was sent as it stands is gone')
}

async function keepWords(t: Test, browser: Browser) {
  const { _id, params, link, to } = await drill()
  await joinAs(await take(link), 'Priya')
  await to('startSession')
  const { page } = await open(browser, _id, 'run')
  await page.getByText('Message everybody', { exact: true }).click()
  const field = page.getByLabel('What you say to everybody')
  await field.fill('Five minutes left.')
  const change = () => field.fill('And then we talk.')
  await pressAndThen(page, 'Send to 2 people', '**/trainer-messages/*', change)
  await page.locator('.done', { hasText: 'Sent to 2 people.' }).waitFor()
  t.equal(await field.inputValue(), 'And then we talk.')
  const { body } = await service.call('listTrainerMessages', { token: admin.token, params })
  t.strictSame(
    body.map(({ content }: { content: string }) => content),
    ['Five minutes left.', 'Five minutes left.'],
  )
}

async function keepRating(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  await to('endSession')
  const { page } = await open(browser, _id, 'rate')
  const choiceOf = (criterion: number) =>
    page
      .getByRole('group')
      .filter({ has: page.getByRole('radio') })
      .nth(criterion)
      .getByRole('radio')
      .first()
  await choiceOf(0).check()
  await pressAndThen(page, 'Save so far', '**/ratings', () => choiceOf(1).check())
  const saved = page.getByText('Saved. You can go on later.')
  await saved.waitFor({ state: 'attached' })
  t.equal(await page.locator('.rate-foot', { has: saved }).count(), 0, 'the choice is not saved')
  await page.reload()
  await choiceOf(1).waitFor()
  t.ok(await choiceOf(0).isChecked(), 'what was saved')
  t.ok(await choiceOf(1).isChecked(), 'what was chosen meanwhile')
}
