import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { askFor, said } from '../../helpers/decisions.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'
import { sessionClocksOf } from '../../helpers/session-clock.js'

const service = await startService(t)
const { call, db, url, registerAdmin } = service
const { admin, drill, addScenario, create, change } = await openDrills(service)
const { take, joinAs } = seatsOf(service)
const { pass } = sessionClocksOf(db)
const { token } = admin
const scenario_name = 'crisis_response'
const address = leadAddress(url)
const deskOf = (id: string) => `${address}#/sessions/${id}/run`

t.test('A trainer who looks after the team', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('sees a long silence, also at another pace, and a late answer', (t) =>
    seeSilence(t, browser),
  )
  t.test('has the questions of all parts for the debriefing', (t) => debrief(t, browser))
  t.test('gets no hint for a decision that was made', (t) => endHint(t, browser))
  t.test('sees the part of the story that is asked about', (t) => keepPart(t, browser))
})

const personOf = (page: Page, hasText: string) => page.locator('.people > li', { hasText })

async function seeSilence(t: Test, browser: Browser) {
  const { _id, params, link, post, replyToSchool, to } = await drill()
  await joinAs(await take(link), 'Priya')
  await to('startSession')
  await post('I look at it.')
  await pass({ _id }, 4)
  const { page } = await openAs(browser, deskOf(_id), admin)
  const silence = personOf(page, 'Jonas').getByText(/^silent for 4:\d\d$/)
  await silence.and(page.locator('.muted')).waitFor()
  await pass({ _id }, 2)
  await page.reload()
  await personOf(page, 'Jonas')
    .getByText(/^silent for 6:\d\d$/)
    .and(page.locator('.warn'))
    .waitFor()
  await personOf(page, 'Priya').getByText('has written nothing yet').waitFor()
  await checkState(t, page, 'a long silence')
  await to('pauseSession')
  await call('updateSession', { token, params, body: { speed: 10 } })
  await personOf(page, 'Jonas')
    .getByText(/^silent for [6-9]:\d\d in real time$/)
    .waitFor()
  const asked = /should do \(20 minutes, ([7-9]|1\d):\d\d in real time\)$/
  await page.getByText(asked).waitFor()
  await to('resumeSession')
  await pass({ _id }, 1.5)
  await replyToSchool('No.')
  const answer = page.locator('.event.of-person', { hasText: 'No.' })
  await answer.getByText('late answer', { exact: true }).waitFor()
  await page.getByText('were not answered in time').or(page.getByText('was not answered')).click()
  await page.locator('.waits').getByText('late answer', { exact: true }).waitFor()
  await to('endSession')
  await page.getByText('completed', { exact: true }).waitFor()
  t.equal(await page.locator('.presence').count(), 0, 'after the end nobody is silent or offline')
}

async function debrief(t: Test, browser: Browser) {
  const { _id, params, to } = await drill()
  await to('startSession')
  const { facilitator } = (await call('getBriefing', { token, params })).body
  const [kitchen, other] = ['kitchen_answer', 'press_call'].map((key) =>
    facilitator.beats.find(({ beat }: { beat: string }) => beat === key),
  )
  const { page } = await openAs(browser, deskOf(_id), admin)
  const questions = page.locator('.desk-sheet').getByRole('listitem')
  await page.getByText('planned now', { exact: true }).waitFor()
  t.equal(await questions.filter({ hasText: kitchen.debrief_question }).isVisible(), false)
  await to('endSession')
  await questions.filter({ hasText: facilitator.debrief[0] }).waitFor()
  await page.getByText(/^\d more questions?$/).click()
  await questions.filter({ hasText: kitchen.debrief_question }).waitFor()
  const notPlayed = questions.filter({ hasText: other.debrief_question })
  t.equal(await notPlayed.count(), 0, 'parts that were not played ask nothing')
  const now = page.locator('.now', { has: page.getByText('now', { exact: true }) })
  await now.filter({ hasText: 'Rating oneself' }).waitFor()
  await now.filter({ hasText: 'Debriefing' }).waitFor()
  await page.locator('summary', { hasText: 'steps before' }).waitFor()
  t.equal(await page.getByText('A hint you can give').count(), 0)
  await checkState(t, page, 'the material for the debriefing')
}

/** The desk of a session that asks for a decision first, and what helps a trainer with its parts. */
async function askFirst(browser: Browser, ...later: ReturnType<typeof said>[]) {
  const other = await registerAdmin()
  const ask = askFor('recall_choice', ['all', 'wait'], 'wait')(20)
  const story = [said(0, 'What now?', ask), ...later, said(60, 'Over.')]
  await addScenario(other, () => story, { scenario_name })
  const { _id } = await create(other, { scenario_name })
  await change('startSession', other, { _id })
  const params = { session_id: _id }
  const { facilitator } = (await call('getBriefing', { token: other.token, params })).body
  const noteOf = (key: string) =>
    facilitator.beats.find(({ beat }: { beat: string }) => beat === key).facilitator_note
  const decide = () =>
    call('makeDecision', {
      token: other.token,
      params: { ...params, beat: 'recall_choice' },
      body: { option: 'all', on_behalf: true },
    })
  const { page } = await openAs(browser, deskOf(_id), other)
  await page.getByText(noteOf('recall_choice').hint).waitFor()
  return { _id, page, decide, noteOf }
}

async function endHint(t: Test, browser: Browser) {
  const { page, decide, noteOf } = await askFirst(browser)
  await press(page, 'Record the team’s choice')
  await decide()
  await page.getByText('This decision has ended.').waitFor()
  await press(page, 'Close')
  const { hint, trap } = noteOf('recall_choice')
  await page.getByText(hint).waitFor({ state: 'detached' })
  t.ok(await page.getByText(trap).isVisible(), 'the trap stays, to talk about it')
}

async function keepPart(t: Test, browser: Browser) {
  const list = said(1, 'A list is found.', { beat: 'stray_list' })
  const { _id, page, decide, noteOf } = await askFirst(browser, list)
  await pass({ _id }, 2)
  await page.getByText('A list is found.').waitFor()
  t.ok(await page.getByText(noteOf('recall_choice').hint).isVisible(), 'what is asked comes first')
  await decide()
  await page.getByText(noteOf('stray_list').hint).waitFor()
}
