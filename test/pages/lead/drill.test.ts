import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { byteOrderMark } from '../../helpers/bytes.js'
import { t } from '../../helpers/file.js'
import {
  clickLink,
  leadAddress,
  press,
  startAllTheSame,
  waitForHeading,
} from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'
import { sessionClocksOf } from '../../helpers/session-clock.js'

const service = await startService(t)
const { call, db, url } = service
const { pass } = sessionClocksOf(db)
/** The number of drill seconds in a real second. */
const pace = 30
const address = leadAddress(url)

t.test('The page of trainers', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('leads a drill from the registration to the export', (t) => lead(t, browser))
})

async function lead(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser)
  await page.goto(address)
  await waitForHeading(page, 'Log in')
  await checkState(t, page, 'the login')
  await register(t, page)
  await setUp(t, page)
  await plan(t, page)
  const guest = await printPack(t, page)
  await startAllTheSame(page)
  await page.getByText('running').waitFor()
  await useDesk(t, page, guest)
  await decide(t, page)
  await end(t, page)
  await rateOneself(page, guest)
  await rateAndExport(t, page)
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function register(t: Test, page: Page) {
  await clickLink(page, 'Register an organization')
  await waitForHeading(page, 'Register an organization')
  await checkState(t, page, 'the registration')
  await page.getByLabel('Name of your organization').fill('Practice House')
  await page.getByLabel('First name').fill('Nils')
  await page.getByLabel('Last name').fill('Aalto')
  await page.getByLabel('E-mail address').fill(`nils-${Date.now()}@lead.example`)
  await page.getByLabel('Password').fill('Password123')
  await page.getByText('This is one of the most common passwords').waitFor()
  await press(page, 'Register')
}

async function setUp(t: Test, page: Page) {
  await waitForHeading(page, 'Scenarios')
  await clickLink(page, 'Crisis response')
  await waitForHeading(page, 'What people learn')
  await page.getByText('Adjust how this workplace behaves').click()
  await page.getByLabel('Culture').selectOption({ label: 'Clan' })
  await page.getByText('What “Clan” changes').click()
  await page.getByText('looking after each other', { exact: true }).waitFor()
  for (const summary of await page.getByText(/^What “(?!Clan).*” changes$/).all())
    await summary.click()
  await page.getByText('by their first names', { exact: true }).waitFor()
  await page.getByText('Refrigeration Engineer reports to Managing Director').waitFor()
  const names = await page.locator('.model dt').allTextContents()
  t.strictSame(
    names.filter((name) => !/^[A-Z]/.test(name)),
    [],
    'every effect is in words',
  )
  await checkState(t, page, 'what the models change')
  await press(page, 'Show what would be set up')
  await waitForHeading(page, 'This would be set up')
  await checkState(t, page, 'the preview')
  await press(page, 'Set it up')
  await page.getByText('Sessions can be planned.').waitFor()
  await page.goBack()
  await page.getByText('set up', { exact: true }).waitFor()
  const labels = await page.locator('.scenario-card h2').allTextContents()
  t.strictSame(labels, labels.toSorted(), 'in alphabetical order')
  await checkState(t, page, 'the scenarios')
  await page.goForward()
}

async function plan(t: Test, page: Page) {
  await clickLink(page, 'Plan a session')
  await page.getByLabel('Name of the session').fill('Team North')
  await page.getByLabel('Pace').selectOption(String(pace))
  await page.getByLabel('Contact for the ward kitchens').selectOption({ label: 'Leave empty' })
  await page.getByLabel('Adviser for insurance').selectOption({ label: 'Leave empty' })
  await checkState(t, page, 'the plan')
  await press(page, 'Create the session')
  await waitForHeading(page, 'Is it ready?')
  await page.getByText('Roles without a participant: Contact for the ward kitchens').waitFor()
  await page.getByText('Some roles are empty. You can start all the same.').waitFor()
  await checkState(t, page, 'the session before its start')
}

/** Prints the pack. Returns the token of a guest who has joined by its first link. */
async function printPack(t: Test, page: Page): Promise<string> {
  await clickLink(page, 'Print the pack')
  await page.getByRole('img', { name: 'QR code for Food safety officer on duty' }).waitFor()
  t.equal(await page.getByRole('img', { name: /^QR code for/ }).count(), 2)
  t.ok(await page.getByText('Only you know this').count(), 'the role cards have private texts')
  await checkState(t, page, 'the pack')
  const link = await page.locator('.link-text').first().innerText()
  await page.reload()
  await page
    .getByRole('img', { name: /^QR code for/ })
    .first()
    .waitFor()
  await page.goBack()
  const seat_token = link.split('#')[1]
  const { body } = await call('takeSeat', { body: { seat_token } })
  const params = { session_id: body.session_id }
  const { body: briefing } = await call('getBriefing', { token: body.access_token, params })
  const consent_version = briefing.consent.version
  await call('joinSession', {
    token: body.access_token,
    params,
    body: { consent: true, consent_version, display_name: 'Priya' },
  })
  await call('askTrainer', {
    token: body.access_token,
    params,
    body: { content: 'May I call the school?' },
  })
  return body.access_token
}

async function useDesk(t: Test, page: Page, token: string) {
  const session_id = new URL(page.url()).hash.split('/')[2] ?? ''
  await page.getByText('1 private message').first().waitFor()
  await page.getByText('minute 0 to 10').first().waitFor()
  await press(page, /private message.*Priya/)
  await page.locator('.talk').getByText('May I call the school?').waitFor()
  await page.getByLabel('What you say to Priya').fill('Yes, you may.')
  await press(page, 'Send')
  await page.getByText('Yes, you may.').waitFor()
  const { body } = await call('listTrainerMessages', { token, params: { session_id } })
  t.match(body, [{ from_trainer: false }, { from_trainer: true, content: 'Yes, you may.' }])

  await page.getByLabel('Speak as').selectOption({ index: 1 })
  await page.getByLabel('What the character says').fill('Who has the hand probe?')
  await page.keyboard.press('Control+Enter')
  const said = page.locator('.event', { hasText: 'Who has the hand probe?' })
  await said.getByText('said by a trainer').waitFor()
  await said.getByRole('button', { name: /^Reply/ }).click()
  await page
    .getByRole('textbox', { name: 'What the character says' })
    .and(page.locator(':focus'))
    .waitFor()
  await page.getByLabel('What the character says').fill('It is on the window sill.')
  await press(page, 'Say it')
  await page.locator('.event', { hasText: 'It is on the window sill.' }).getByText('↳').waitFor()

  await page.getByPlaceholder('What you have noticed').fill('They ask who is affected.')
  await press(page, 'Keep the note')
  await page.getByText('They ask who is affected.').waitFor()
  await checkState(t, page, 'the desk')
}

async function decide(t: Test, page: Page) {
  const record = page.getByRole('button', { name: 'Record the team’s choice' })
  const _id = new URL(page.url()).hash.split('/')[2] ?? ''
  const opened = db.selectFrom('session_decisions').select('status').where('session_id', '=', _id)
  while ((await opened.execute()).length === 0) await pass({ _id }, 1 / pace)
  await record.waitFor()
  await press(page, 'Pause')
  await page.getByText('Characters can speak again when it goes on.').waitFor()
  await record.click()
  await page
    .getByRole('dialog')
    .getByText(/What follows: \d+ messages/)
    .first()
    .click()
  await checkState(t, page, 'a decision on behalf')
  await page.keyboard.press('Escape')
  await checkState(t, page, 'the pause')
  await press(page, 'Go on')
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await record.click()
  await page.getByRole('radio', { name: 'Recall all food from cell 7 now' }).check()
  await page.getByLabel('Reason (optional').fill('A ward cannot wait.')
  await press(page, 'Record it')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('Recall all food from cell 7 now (recorded by a trainer).').waitFor()
  const recorded = page.locator('.event', { hasText: 'Recorded by the trainer for the team.' })
  await recorded.getByText('Reason of the trainer: A ward cannot wait.').waitFor()
}

async function end(t: Test, page: Page) {
  await press(page, 'End …')
  await checkState(t, page, 'the question before the end')
  await press(page, 'End it')
  await page.getByText('completed', { exact: true }).waitFor()
  t.equal(await page.getByLabel('What the character says').count(), 0)
  await checkState(t, page, 'the desk after the end')
}

async function rateOneself(page: Page, token: string) {
  const [, session_id = ''] = /#\/sessions\/([^/]+)/.exec(page.url()) ?? []
  const params = { session_id }
  const rating = { values: [], comment: 'We called too late.' }
  await call('rateOneself', { token, params, body: rating })
}

async function rateAndExport(t: Test, page: Page) {
  await clickLink(page, 'Rate')
  await page.getByText(/^0 of \d+ rated/).waitFor()
  await page.getByText('You see how participants rated themselves when').waitFor()
  await checkState(t, page, 'the rating')
  await press(page, 'Save so far')
  await page.locator('.rate-foot').getByText('Saved. You can go on later.').waitFor()
  await checkState(t, page, 'the ratings that are saved')
  for (const group of await page.getByRole('group').all()) {
    const choices = group.getByRole('radio')
    if ((await choices.count()) > 0) await choices.first().check()
  }
  await page.getByText('You can still rate single participants').waitFor()
  await page.locator('.rate-foot').getByText('is kept in this tab only').waitFor()
  await checkState(t, page, 'the ratings before they are sent')
  await press(page, 'Send the ratings')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^The team: (\d+) of \1 rated$/).waitFor()
  await dialog.getByText(/^Priya .*: 0 of \d+ rated$/).waitFor()
  await checkState(t, page, 'the question before ratings are sent')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await press(page, 'Send the ratings')
  await dialog.getByRole('button', { name: 'Send the ratings' }).click()
  await page.getByText('You are the only rater so far.').waitFor()
  await waitForHeading(page, 'How participants rated themselves')
  await page.getByText('We called too late.').waitFor()
  await checkState(t, page, 'the ratings')
  await clickLink(page, 'Questions for the debriefing')
  await page.locator('.desk-sheet summary', { hasText: 'Questions for the debriefing' }).waitFor()
  await page.goBack()
  await clickLink(page, 'Team North')
  await waitForHeading(page, 'Save what happened')
  await page.getByText('1 of 1 decisions made before the deadline, 1 of these recorded').waitFor()
  await checkState(t, page, 'the session after its end')
  for (const [name, file] of [
    ['CSV', 'csv'],
    ['NDJSON', 'ndjson'],
    ['xAPI', 'json'],
  ]) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press(page, new RegExp(`${name}`)),
    ])
    t.match(download.suggestedFilename(), new RegExp(`^session-.*\\.${file}$`))
    const bytes = readFileSync(await download.path())
    t.equal(bytes.indexOf(byteOrderMark) === 0, file === 'csv', 'Excel reads the CSV as UTF-8')
  }
  await clickLink(page, 'Sessions')
  await page.getByRole('link', { name: 'Team North' }).waitFor()
  await checkState(t, page, 'the sessions')
}
