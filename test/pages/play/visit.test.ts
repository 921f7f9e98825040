import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  overflowOf,
  skipWithoutBrowser as skip,
  tabTo,
} from '../../helpers/browser.js'
import {
  boxOf,
  firstLoadOf,
  openChannel,
  openDrills,
  openLink,
  storedIn,
} from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { call, registerAdmin } = service
const drills = await openDrills(service)
const { drill, address, admin } = drills

/** The browser reports the 422 of a link that does not work. */
const expected = /status of (401|422)/

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('leads a guest with a phone from the link to the good-bye', (t) => play(t, browser))
  for (const size of ['narrow', 'enlarged'] as const) {
    t.test(`can be used with a keyboard alone, ${size}`, (t) => useKeys(t, browser, size))
  }
  t.test('shows the sessions of a person with an account', (t) => logIn(t, browser))
  t.test('asks for a new password after a temporary one', (t) => changePassword(t, browser))
  t.test('loads at most 60 kB', (t) => load(t, browser))
})

const tap = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).last().click()
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name }).first().waitFor()

async function play(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, { ...devices.phone, expected })
  const { secret, to, messages, link, params } = await drill()

  await openLink(page, address, 'cut')
  await heading(page, 'This link is not complete')
  await checkState(t, page, 'an unknown link')
  await page.goto(`${address}#${secret}`)
  await heading(page, 'Take part in a drill')
  await checkState(t, page, 'a link')
  await tap(page, 'Go on')
  await heading(page, 'What should the others call you?')
  t.equal(page.url(), address, 'the address no longer has the secret')
  await checkState(t, page, 'the name')
  await tap(page, 'Next')
  await page.getByText('Please fill this in.').waitFor()
  await page.getByLabel('Your name').fill('Priya')
  await tap(page, 'Next')
  await heading(page, 'Before you take part')
  t.equal(await page.getByText('are in English').count(), 0, 'a page in English need not say so')
  await tap(page, 'Take part')
  await page.getByText('Tick the box first').waitFor()
  await page.getByRole('checkbox').and(page.locator(':focus')).waitFor()
  await checkState(t, page, 'the consent')
  await page.getByRole('checkbox').check()
  await tap(page, 'Take part')
  await heading(page, 'Food safety officer on duty')
  await heading(page, 'What is at stake')
  await page.getByText('a small device that lies between the food').waitFor()
  await checkState(t, page, 'the briefing')
  await tap(page, 'I have read it')
  await heading(page, 'Waiting for the start')
  await page.getByText('Jonas').waitFor()
  await checkState(t, page, 'the waiting room')

  await to('startSession')
  const unread = page.getByRole('button', { name: /kitchen-calls.*2 new messages/ })
  await unread.waitFor()
  await checkState(t, page, 'the list of channels')
  await unread.click()
  await heading(page, '# kitchen-calls')
  await page.getByText('say what the kitchen should do').first().waitFor()
  await checkState(t, page, 'a channel')
  await page.getByText('Menu of the school').click()
  await page.getByText('Tomorrow: soup').waitFor()
  await checkState(t, page, 'an open document')
  await tap(page, /^Answer$/)
  await page.getByRole('textbox', { name: 'Write a reply' }).fill('No.\nLock it away.')
  await checkState(t, page, 'a thread')
  await tap(page, 'Send')
  await page.getByText('You have answered').last().waitFor()
  await until(async () => (await messages()).some(({ answers }) => answers.length > 0))

  await to('pauseSession')
  await page.getByText('Paused by the trainer').first().waitFor()
  await checkState(t, page, 'the pause')
  await to('resumeSession')
  await page.getByRole('button', { name: /^Decide:/ }).click()
  await heading(page, 'What happens to the food?')
  await page.locator('.decision').getByText('You decide.').waitFor()
  await checkState(t, page, 'an open decision')
  await tap(page, /^Decide$/)
  await page.getByText('Please choose one.').waitFor()
  await page.getByRole('radio').first().and(page.locator(':focus')).waitFor()
  await page.getByRole('radio', { name: /Recall it all/ }).check()
  await page.getByLabel('Why?').fill('We do not know.')
  await tap(page, /^Decide$/)
  await page.getByText('You have decided.').waitFor()
  await checkState(t, page, 'a decision that is made')

  // The decision was opened from a thread.
  await tap(page, 'Back')
  for (const part of ['Who is who', 'Situation and role', 'Ask the trainer']) {
    await tap(page, 'Back')
    await tap(page, part)
    await heading(page, part)
    await checkState(t, page, part)
  }
  await page.getByRole('textbox').fill('May I call the school?')
  await tap(page, 'Send')
  const token = admin.token
  const place = { ...params, assignment_id: link?.assignment_id ?? '' }
  const answer = { token, params: place, body: { content: 'Yes, you may.' } }
  await page.getByRole('listitem').getByText('May I call the school?').waitFor()
  await call('answerParticipant', answer)
  await page.getByRole('listitem').getByText('Yes, you may.').waitFor()
  await checkState(t, page, 'words with the trainer')

  await to('endSession')
  await heading(page, 'The drill is over')
  await page.getByText('The debriefing with the trainer comes next.').waitFor()
  const words = page.getByRole('listitem')
  await words.getByText('Yes, you may.').waitFor()
  await page.getByRole('button', { name: 'Forget me on this device' }).waitFor()
  await checkState(t, page, 'the end')
  await call('answerParticipant', { ...answer, body: { content: 'We meet in room 3.' } })
  await tap(page, 'Look again')
  await words.getByText('We meet in room 3.').waitFor()
  await tap(page, 'Rate yourself')
  await page.getByRole('radio').nth(2).check()
  await page.getByText('read your rating of yourself with your name').waitFor()
  await checkState(t, page, 'the rating')
  await tap(page, 'Send')
  await heading(page, 'Your part is done')
  await page.getByText('read your rating of yourself with your name').waitFor()
  await page.getByText('The debriefing with the trainer comes next.').waitFor()
  await words.getByText('We meet in room 3.').waitFor()
  await page.getByText('The text that you agreed to').click()
  await page.getByText('You take part of your own free will.').waitFor()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const frames = await Promise.all(
    (await page.locator('li.words').all()).map((one) => one.boundingBox()),
  )
  const tops = frames.map((frame) => frame?.y)
  t.equal(new Set(tops).size, 3, 'no words cover others where the page is scrolled')
  await checkState(t, page, 'the good-bye')
  await tap(page, 'Read the messages again')
  await openChannel(page, 'cell-readings')
  await page.getByText('We do not know.').first().waitFor()
  await page.getByText('You can read the channels, but no longer write').waitFor()
  t.notOk(await boxOf(page).isEditable(), 'the box takes no text')
  await tap(page, 'Back')
  await tap(page, 'Situation and role')
  await heading(page, 'Situation and role')
  t.equal(
    await page.getByRole('button', { name: 'Leave' }).count(),
    0,
    'nobody leaves after the end',
  )
  await tap(page, 'Go to the closing page')
  await tap(page, 'Forget me on this device')
  await page.getByRole('dialog').getByText('not even with your link').waitFor()
  await checkState(t, page, 'the question before forgetting')
  await tap(page, 'Forget me on this device')
  await heading(page, 'Take part with your account')
  t.strictSame(await storedIn(page), [], 'nothing is kept')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function useKeys(t: Test, browser: Browser, size: 'narrow' | 'enlarged') {
  const { page, browserErrors } = await openDevice(browser, devices[size])
  const { secret, to, messages } = await drill()
  const press = async (name: string | RegExp, role: 'button' | 'checkbox' | 'radio' = 'button') => {
    await tabTo(page, page.getByRole(role, { name }).first())
    t.ok(await isFocusVisible(page), `${name} is on the screen when it has the focus`)
    t.equal(await overflowOf(page), 0, `the page with ${name} is not wider than the screen`)
    await page.keyboard.press(role === 'button' ? 'Enter' : 'Space')
  }
  await page.goto(`${address}#${secret}`)
  await press('Go on')
  await tabTo(page, page.getByLabel('Your name'))
  await page.keyboard.type('Priya')
  await page.keyboard.press('Enter')
  await press(/I have read this/, 'checkbox')
  await press('Take part')
  await to('startSession')
  await press('I have read it')
  await press(/cell-readings/)
  await page.locator('h2:focus').waitFor()
  t.match(await page.locator('h2:focus').innerText(), 'cell-readings', 'the channel has the focus')
  await tabTo(page, boxOf(page))
  await page.keyboard.type('By keys.')
  await press('Send')
  await until(async () => (await messages()).some(({ content }) => content === 'By keys.'))
  t.equal(await boxOf(page).inputValue(), '', 'the box is empty')
  await press(/^Decide:/)
  await press(/Recall it all/, 'radio')
  await press(/^Decide$/)
  await page.getByText('You have decided.').waitFor()
  t.equal(await page.locator('h3:focus').innerText(), 'What happens to the food?')
  await press('Back')
  await page.locator('h2:visible', { hasText: 'cell-readings' }).waitFor()
  await press('Back')
  await press('Situation and role')
  await press('Leave the drill')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await to('endSession')
  await press('Rate yourself')
  await press(/^\d/, 'radio')
  await press('Send')
  await heading(page, 'Your part is done')
  await press('Read the messages again')
  await press('Go to the closing page')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

/** Whether the middle of the element with the focus is on the screen, and nothing covers it. */
const isFocusVisible = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const { left, top, width, height } = document.activeElement.getBoundingClientRect()
    const found = document.elementFromPoint(left + width / 2, top + height / 2)
    return document.activeElement.contains(found)
  })()`)

async function logIn(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, { ...devices.desktop, expected })
  const person = await registerAdmin()
  const { user_id, token } = person
  const body = { name: 'Late shift', scenario_name: 'crisis_response', participants: [{ user_id }] }
  await call('createSession', { token, body })
  await page.goto(address)
  await checkState(t, page, 'the login')
  await page.getByLabel('E-mail address').fill(person.email)
  await page.getByLabel('Password').fill('a wrong password')
  await tap(page, 'Log in')
  await page.getByText('No account has this e-mail address and password.').waitFor()
  await page.getByLabel('Password').fill(person.password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /Late shift/ }).waitFor()
  await checkState(t, page, 'the sessions')
  await tap(page, /Late shift/)
  await heading(page, 'Before you take part')
  await page.reload()
  await heading(page, 'Before you take part')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function changePassword(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, devices.phone)
  const { token, organization_id } = admin
  const email = `noor-${Date.now()}@play.example`
  const body = { first_name: 'Noor', last_name: 'Haddad', email, access_level: 'employee' }
  const invited = await call('inviteMember', { token, params: { organization_id }, body })
  const { temporary_password } = invited.body
  await page.goto(address)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(temporary_password)
  await tap(page, 'Log in')
  await heading(page, 'Choose a password')
  await checkState(t, page, 'a temporary password')
  await page.getByLabel('Password of the invitation').fill(temporary_password)
  await page.getByLabel('New password').fill('noor has a password')
  await tap(page, 'Save')
  await heading(page, 'Your drills')
}

async function load(t: Test, browser: Browser) {
  const { page } = await openDevice(browser)
  const bytes = await firstLoadOf(page, address)
  t.comment(`${bytes} bytes`)
  t.ok(bytes > 10_000 && bytes <= 60_000)
}
