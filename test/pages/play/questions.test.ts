import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  overflowOf,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { join, openChannel, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { sessionClocksOf } from '../../helpers/session-clock.js'

const service = await startService(t)
const { db } = service
const { pass } = sessionClocksOf(db)
const { drill, address } = await openDrills(service)

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('says whom a question is for', (t) => readWhom(t, browser))
  t.test('says that a teammate has answered', (t) => hearOfAnswer(t, browser))
  t.test('lists an open question beside the decisions', (t) => findBesideDecisions(t, browser))
  t.test('says how much time is left in a pause', (t) => readPause(t, browser))
  t.test('says that the time left is real time', (t) => readTimeLeft(t, browser))
})

type Options = Parameters<typeof openDevice>[1]

async function enter(browser: Browser, options: Options, speed = 1) {
  const played = await drill({ speed })
  const { page } = await openDevice(browser, options)
  await played.to('startSession')
  await join(page, address, played.secret)
  await page.getByRole('heading', { name: 'Channels' }).waitFor()
  return { ...played, page }
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const press = (page: Page, name: string | RegExp) => button(page, name).click()
const decide = async (page: Page) => {
  await press(page, /^Decide:/)
  await page.getByRole('radio', { name: 'Wait.' }).check()
  await press(page, /^Decide$/)
  await page.getByText('You have decided.').waitFor()
  await press(page, /^Back|^Close/)
}
const inThread = 'To answer it, use “Answer” below it.'
const forTeam = 'For the team: one answer is enough.'

async function readWhom(t: Test, browser: Browser) {
  for (const [name, options] of Object.entries(devices)) {
    const { page } = await enter(browser, options)
    await button(page, /^Decide: .*You decide\./).waitFor()
    await decide(page)
    await button(page, new RegExp(`^Answer: .*${forTeam}`)).waitFor()
    await openChannel(page, 'kitchen-calls')
    const asked = page.locator('.asked', { hasText: 'say what the kitchen should do' })
    await asked.getByText(forTeam).waitFor()
    await page.getByText(inThread).waitFor()
    t.ok((await overflowOf(page)) <= 0, `nothing is too wide, ${name}`)
    await checkState(t, page, `a question for the team, ${name}`)
  }
  const { secretOfJonas, to } = await drill()
  const { page } = await openDevice(browser, devices.phone)
  await to('startSession')
  await openLink(page, address, secretOfJonas)
  await press(page, 'Yes, go on')
  await press(page, 'I have read it')
  await button(
    page,
    /^Advise: .*Who decides: .*Food safety officer on duty.*You can advise\./,
  ).waitFor()
}

async function hearOfAnswer(t: Test, browser: Browser) {
  const { page, replyToSchool } = await enter(browser, devices.phone)
  await decide(page)
  await openChannel(page, 'cell-readings')
  await button(page, /^Answer:/).waitFor()
  await replyToSchool('Lock it away.')
  const strip = button(page, 'Jonas has answered: Lock it away.')
  await strip.waitFor()
  t.equal(await button(page, /^Answer:/).count(), 0, 'the deadline is gone')
  await checkState(t, page, 'the answer of a teammate')
  await strip.click()
  await page.locator('li.target', { hasText: 'Lock it away.' }).waitFor()
  t.equal(await strip.count(), 0, 'what is read has no strip')
  t.equal(await page.getByText(inThread).count(), 0, 'nothing waits in the channel any more')
}

async function findBesideDecisions(t: Test, browser: Browser) {
  const { page } = await enter(browser, devices.phone)
  await press(page, /^Decisions/)
  const question = page.locator('.question', { hasText: 'Please: say what the kitchen should do' })
  await question.getByText(forTeam).waitFor()
  await checkState(t, page, 'an open question beside a decision')
  await question.getByRole('button', { name: 'Answer' }).click()
  const box = page.getByRole('textbox', { name: 'Write a reply' })
  await box.and(page.locator(':focus')).waitFor()
  t.equal(await page.getByRole('button', { name: /^Answer$/ }).count(), 0, 'the box is the way')
  await box.fill('No.')
  await press(page, 'Send')
  await page.getByText('You have answered').last().waitFor()
  await box.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Shift+Tab')
  const toDecision = page.getByRole('button', { name: 'To the open decision' })
  await toDecision.and(page.locator(':focus')).waitFor()
  await checkState(t, page, 'the way from a reply to the open decision')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What happens to the food?' }).waitFor()
  t.equal(await question.count(), 0, 'an answered question is not listed')
}

async function readPause(t: Test, browser: Browser) {
  const { _id, page, replyToSchool, to } = await enter(browser, devices.phone, 2)
  await press(page, /^Decide:/)
  await to('pauseSession')
  const left = /^Paused\. [1-2]:\d\d left in real time when it goes on$/
  const card = page.locator('.decision').getByText(left)
  const before = await card.innerText()
  await button(page, /^Decide: .*[1-2]:\d\d *when it goes on$/).waitFor()
  t.match(await page.locator('.question .chip').innerText(), /^Paused\. \d:\d\d left/)
  await checkState(t, page, 'the time left in a pause')
  t.equal(await card.innerText(), before, 'it stands still')
  await page.reload()
  t.equal(await card.innerText(), before, 'also after a reload')
  await to('resumeSession')
  await page
    .locator('.decision')
    .getByText(/^[1-2]:\d\d left in real time/)
    .waitFor()
  await pass({ _id }, 11)
  await replyToSchool('No.')
  await openChannel(page, 'kitchen-calls')
  await page.getByText('Answered by Jonas, after the time was up').waitFor()
}

async function readTimeLeft(t: Test, browser: Browser) {
  const { page } = await enter(browser, devices.phone, 2)
  await button(page, /^Decide: .*Until minute 5\. *\d:\d\d *real time$/).waitFor()
  await checkState(t, page, 'the time left of a fast session')
  await press(page, /^Decide:/)
  await page
    .locator('.decision')
    .getByText(/^\d:\d\d left in real time \(until minute 5\)$/)
    .waitFor()
  const { page: slow } = await enter(browser, devices.phone)
  await press(slow, /^Decide:/)
  await slow
    .locator('.decision')
    .getByText(/^\d:\d\d left$/)
    .waitFor()
  t.equal(await slow.getByText('real time').count(), 0)
}
