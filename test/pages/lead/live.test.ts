import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { heardOn, listen, waitToHear } from '../../helpers/announced.js'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { openEvents } from '../../helpers/event-stream.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, startAllTheSame } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call, url, addMember } = service
const { admin, drill, create, change, addMessages } = await openDrills(service)
const { token } = admin
const address = leadAddress(url)
const deskOf = (id: string) => `${address}#/sessions/${id}/run`
const scenario_name = 'crisis_response'
/** The browser reports each request that finds no network. */
const expected = /ERR_(INTERNET_DISCONNECTED|CONNECTION)|status of 404/

t.test('The page of trainers, while a session changes', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('announces news and does not move the focus', (t) => announce(t, browser))
  t.test('announces the last minute of a decision', (t) => announceDeadline(t, browser))
  t.test('connects again after too many streams', (t) => openTooOften(t, browser))
  t.test('connects again after access has ended', (t) => loseAccess(t, browser))
  t.test('shows changes of sessions in the list', (t) => followList(t, browser))
})

const speechOf = (page: Page) => page.getByLabel('What the character says')

async function announce(t: Test, browser: Browser) {
  const { _id, params, post, ask, to, messages } = await drill()
  await to('startSession')
  await post('Long ago.')
  await ask('Also long ago?')
  const { page, browserErrors } = await openAs(browser, address, admin, { expected })
  await listen(page)
  await page.goto(deskOf(_id))
  await page.getByText('Long ago.').waitFor()
  await speechOf(page).focus()
  await page.keyboard.type('I am wri')
  const home = (await messages())[0]?.conversation_id ?? ''
  await addMessages({ _id, home, away: '', params }, 2, 'Look at this.')
  await waitToHear(page, '2 new messages')
  const news = (await heardOn(page)).join(' ').match(/\d+ new messages?|\w+ asks you privately/g)
  t.strictSame([...new Set(news)], ['2 new messages'], 'what happened before is not announced')
  await ask('May I call the school?')
  await waitToHear(page, 'Jonas asks you privately.')
  await page.context().setOffline(true)
  await waitToHear(page, 'No connection')
  await page.context().setOffline(false)
  await waitToHear(page, 'The connection is back.')
  await page.keyboard.type('ting.')
  t.equal(await speechOf(page).inputValue(), 'I am writing.', 'the focus stays in the box')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function announceDeadline(t: Test, browser: Browser) {
  // Five minutes to decide are 75 seconds at this speed.
  const session = await create(admin, { scenario_name, speed: 4 })
  const { page } = await openAs(browser, deskOf(session._id), admin)
  await listen(page)
  await startAllTheSame(page)
  await waitToHear(page, 'A decision is open: What happens to the food?')
  await speechOf(page).focus()
  await page.keyboard.type('I wai')
  await waitToHear(page, 'Less than a minute left: What happens to the food?')
  await page.keyboard.type('t.')
  t.equal(await speechOf(page).inputValue(), 'I wait.', 'the focus stays in the box')
}

async function openTooOften(t: Test, browser: Browser) {
  const { _id, post, to } = await drill()
  await to('startSession')
  const hr = await addMember(admin.organization_id, 'hr')
  const { page } = await openAs(browser, deskOf(_id), hr)
  await page.getByText('Cell 7 was warm.').waitFor()
  const others = await Promise.all(Array.from({ length: 20 }, () => openEvents(url, hr, _id)))
  await page.getByText('This session is open in too many tabs').waitFor()
  await checkState(t, page, 'a desk that was open too often')
  await Promise.all(others.map((one) => one.leave()))
  await connectAgain(page)
  await post('Still here.')
  await page.getByText('Still here.').waitFor()
  t.pass('the page shows new messages again')
}

async function connectAgain(page: Page) {
  const button = page.getByRole('button', { name: 'Connect again' })
  await button.click()
  await button.waitFor({ state: 'detached' })
}

async function loseAccess(t: Test, browser: Browser) {
  const { _id, params, post, to } = await drill()
  const rater = await addMember(admin.organization_id, 'executive')
  const setRaters = (...rater_ids: string[]) =>
    call('updateSession', { token, params, body: { rater_ids } })
  await setRaters(rater.user_id)
  await to('startSession')
  const { page } = await openAs(browser, deskOf(_id), rater, { expected })
  await page.getByText('Cell 7 was warm.').waitFor()
  await page.getByText('What an observer watches for').waitFor()
  await setRaters()
  await page.getByText('You may no longer follow this session.').waitFor()
  await checkState(t, page, 'a desk without access')
  await page.getByRole('button', { name: 'Connect again' }).click()
  await page.getByText('There is no such session, or you have no part in it.').waitFor()
  await setRaters(rater.user_id)
  await connectAgain(page)
  await post('You are back.')
  await page.getByText('You are back.').waitFor()
  t.pass('the page shows new messages again')
}

async function followList(t: Test, browser: Browser) {
  const { page, browserErrors } = await openAs(browser, address, admin)
  const session = await create(admin, { scenario_name, name: 'Night shift' })
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'Night shift' })
  await row.getByText('not started yet').waitFor()
  await page.evaluate('globalThis.isFirstLoad = true')
  await change('startSession', admin, session)
  await row.getByText('running').waitFor()
  await row.getByText('2 waiting').waitFor()
  await change('pauseSession', admin, session)
  await row.getByText('paused').waitFor()
  await change('endSession', admin, session)
  await row.getByText('completed').waitFor()
  t.ok(await page.evaluate('isFirstLoad'), 'the list changes without a reload')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}
