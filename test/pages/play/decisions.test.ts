import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, join, openChannel, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call } = service
const { drill, enter, address, admin, pass } = await openDrills(service)

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('puts the focus into the box for advice', (t) => advise(t, browser))
  t.test('leads from a decision to the message that asks', (t) => findQuestion(t, browser))
  t.test('says that a teammate has decided', (t) => hearOfTeammate(t, browser))
  t.test('says what the trainer has recorded', (t) => hearOfTrainer(t, browser))
  t.test('says that nobody has decided in time', (t) => hearOfLapse(t, browser))
  t.test('names the chosen option beside the button', (t) => choose(t, browser))
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const press = (page: Page, name: string | RegExp) => button(page, name).click()
const target = (page: Page, text: string) => page.locator('li.target', { hasText: text }).waitFor()

async function hearOfTeammate(t: Test, browser: Browser) {
  const { secret, secretOfJonas, params, to } = await drill()
  const { body: seat } = await call('takeSeat', { body: { seat_token: secret } })
  const token = seat.access_token
  const consent = { consent: true, display_name: 'Priya' }
  await call('joinSession', { token, params, body: consent })
  await to('startSession')
  const { page } = await openDevice(browser, devices.phone)
  await openLink(page, address, secretOfJonas)
  await press(page, 'Yes, go on')
  await press(page, 'I have read it')
  await openChannel(page, 'kitchen-calls')
  await button(page, /^Advise:/).waitFor()
  const choice = { option: 'all', reason: 'We do not know.' }
  await call('makeDecision', { token, params: { ...params, beat: 'recall' }, body: choice })
  await button(page, 'Priya has decided: Recall it all.').waitFor()
  await checkState(t, page, 'the decision of a teammate')
  await press(page, 'Priya has decided:')
  await target(page, 'We do not know.')
  t.equal(await button(page, 'Priya has decided:').count(), 0, 'what is read has no strip')
}

async function hearOfTrainer(t: Test, browser: Browser) {
  const { page, params } = await enter(browser)
  await button(page, /^Decide:/).waitFor()
  const place = { ...params, beat: 'recall' }
  const body = { option: 'wait', on_behalf: true }
  await call('makeDecision', { token: admin.token, params: place, body })
  await button(page, 'The trainer has recorded for the team: Wait.').waitFor()
  await press(page, /^Decisions/)
  await page.locator('.decision').getByText('Recorded by the trainer for the team.').waitFor()
  t.equal(await button(page, 'The trainer has recorded').count(), 0, 'what is read has no strip')
}

async function hearOfLapse(_t: Test, browser: Browser) {
  const { page, _id } = await enter(browser)
  await button(page, 'Decisions 2 open').waitFor()
  await pass({ _id }, 6)
  await press(page, 'Nobody decided in time. The story goes on with: Wait.')
  await target(page, 'Time is up: we wait.')
  await pass({ _id }, 7)
  await button(page, 'Decisions 2 open').waitFor()
  await pass({ _id }, 11)
  await press(page, 'Nobody decided in time. The story goes on with: The customers.')
  await target(page, 'The customers.')
}

async function choose(t: Test, browser: Browser) {
  const { page } = await enter(browser)
  await page.setViewportSize(devices.phone.viewport)
  await press(page, /^Decide:/)
  const chosen = page.getByText('You choose:')
  t.equal(await chosen.count(), 0)
  await page.getByRole('radio', { name: 'Wait.' }).check()
  t.equal(await chosen.innerText(), 'You choose: Wait.')
  await page.getByRole('radio', { name: 'Recall it all.' }).check()
  t.equal(await chosen.innerText(), 'You choose: Recall it all.')
  const reason = page.getByLabel('Why?')
  const heightOf = async () => (await reason.boundingBox())?.height ?? 0
  const before = await heightOf()
  t.ok(before >= 72, 'the box for the reason has at least two lines')
  await reason.fill('One line of the reason.\n'.repeat(8))
  t.ok((await heightOf()) > 2 * before, 'the box grows with the reason')
  await checkState(t, page, 'a chosen option')
}

async function advise(_t: Test, browser: Browser) {
  for (const options of [devices.phone, devices.desktop]) {
    const { to, secretOfJonas } = await drill()
    const { page } = await openDevice(browser, options)
    await to('startSession')
    await openLink(page, address, secretOfJonas)
    await press(page, 'Yes, go on')
    await press(page, 'I have read it')
    await press(page, /^Advise:/)
    await press(page, 'Write your advice in cell-readings')
    await boxOf(page).and(page.locator(':focus')).waitFor()
  }
}

async function findQuestion(t: Test, browser: Browser) {
  for (const options of [devices.phone, devices.desktop]) {
    const { secret, to } = await drill()
    const { page } = await openDevice(browser, options)
    await to('startSession')
    await join(page, address, secret)
    await press(page, /^Decide:/)
    await press(page, 'Read the question in cell-readings')
    await page.getByRole('heading', { name: '# cell-readings' }).waitFor()
    await page.locator('li.target', { hasText: 'What do we do?' }).waitFor()
    t.ok(await page.getByText('What do we do?').isVisible())
    await boxOf(page).fill('Mine.')
    await press(page, 'Send')
    await page.locator('.message.own', { hasText: 'Mine.' }).waitFor()
    const colourOf = (place: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${place}')).backgroundColor`)
    t.not(
      await colourOf('.target .message'),
      await colourOf('.message.own > div'),
      'it has another colour than own messages',
    )
  }
}
