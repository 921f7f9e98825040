import type { Browser, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Schema } from '../../../src/contract.js'
import {
  devices,
  launchBrowser,
  openDevice,
  overflowOf,
  patienceMs,
  setDeviceClock,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { said } from '../../helpers/decisions.js'
import { join, openChannel, openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { drill, address, admin, call, addScenario } = { ...service, ...(await openDrills(service)) }
const longList = { title: 'All batches', text: 'Batch 7: 3.6 degrees\n'.repeat(60).trim() }
const scenario_name = 'crisis_response'
const papers = [said(0, 'The papers.', { artefact: longList })]
await addScenario(admin, papers, { scenario_name, channel_name: 'papers' })

t.test('The room of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('puts the focus into the box of a thread', (t) => reply(t, browser))
  t.test('puts the focus into the box of a channel', (t) => writeAtOnce(t, browser))
  t.test('opens the same channel after a reload', (t) => reload(t, browser))
  t.test('fits a screen of 320 pixels with a scroll bar', (t) => narrow(t, browser))
  t.test('shows the minute, and how fast the clock runs, on any device', (t) =>
    readClock(t, browser),
  )
  t.test('closes the side pane with Escape', (t) => pressEscape(t, browser))
  t.test('says how to send where there is a keyboard', (t) => readHint(t, browser))
  t.test('begins a document at its title', (t) => openDocument(t, browser))
  t.test('names a department once', (t) => nameDepartments(t, browser))
})

type Options = Parameters<typeof openDevice>[1]
type Fields = Partial<Schema<'SessionCreation'>>

/** Starts a session. Returns the page of a guest in the room. */
async function enter(browser: Browser, options: Options, fields?: Fields) {
  const played = await drill(fields)
  const { page } = await openDevice(browser, options)
  await played.to('startSession')
  await join(page, address, played.secret)
  await heading(page, 'Channels').waitFor()
  /** Writes to the participant as a trainer. */
  const write = (content: string) => {
    const params = { ...played.params, assignment_id: played.link?.assignment_id ?? '' }
    return call('answerParticipant', { token: admin.token, params, body: { content } })
  }
  return { ...played, page, write }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const press = (page: Page, name: string | RegExp) => button(page, name).click()
const focused = (locator: Locator) => locator.and(locator.page().locator(':focus'))
const replyBox = (page: Page) => page.getByRole('textbox', { name: 'Write a reply' })

async function reply(t: Test, browser: Browser) {
  const { page, messages } = await enter(browser, devices.desktop)
  const find = async (text: string) => (await messages()).find(({ content }) => content === text)
  await openChannel(page, 'kitchen-calls')
  await page.getByText('A school calls.').hover()
  await press(page, /^Reply/)
  await focused(replyBox(page)).waitFor()
  await page.keyboard.type('Which school?\n')
  await until(async () => (await find('Which school?')) !== undefined)
  t.ok((await find('Which school?'))?.thread_id, 'what is typed at once is a reply')
  await press(page, /^Decide:/)
  await focused(heading(page, 'Decisions')).waitFor()
  await page.getByRole('radio', { name: 'Recall it all.' }).check()
  await press(page, /^Decide$/)
  await page.getByText('You have decided.').waitFor()
  await press(page, /^Answer:/)
  await focused(replyBox(page)).waitFor()
  await page.keyboard.type('No.\n')
  await page.getByText('You have answered').last().waitFor()
}

async function writeAtOnce(_t: Test, browser: Browser) {
  const { page } = await enter(browser, devices.desktop)
  await press(page, /kitchen-calls/)
  await focused(page.getByRole('textbox', { name: 'Write in kitchen-calls' })).waitFor()
  await press(page, 'Ask the trainer')
  await focused(page.getByRole('textbox', { name: 'Write to the trainers' })).waitFor()
  await press(page, 'Who is who')
  await focused(heading(page, 'Who is who')).waitFor()
  const touch = { ...devices.phone, viewport: { width: 1024, height: 768 } }
  const { page: tablet } = await enter(browser, touch)
  await press(tablet, /kitchen-calls/)
  await focused(heading(tablet, '# kitchen-calls')).waitFor()
}

async function reload(_t: Test, browser: Browser) {
  const { page } = await enter(browser, devices.desktop)
  for (const name of ['cell-readings', 'kitchen-calls']) {
    await openChannel(page, name)
    await page.reload()
    await heading(page, `# ${name}`).waitFor()
  }
}

async function narrow(t: Test, browser: Browser) {
  const viewport = { width: 305, height: 640 }
  const fields = { name: 'Hillside crew, Friday morning', speed: 10 }
  const { page } = await enter(browser, { viewport }, fields)
  const fits = async (place: string) =>
    t.ok((await overflowOf(page)) <= 0, `${place} is not wider than the screen`)
  await fits('the list')
  await openChannel(page, 'kitchen-calls')
  await fits('a channel')
  await press(page, /^Answer$/)
  await fits('a thread')
  await press(page, /^Decide:/)
  await fits('a decision')
  const card = await frameOf(page.locator('.decision'))
  const option = await frameOf(page.locator('label.option').first())
  t.ok(option.x + option.width < card.x + card.width, 'an option is inside its decision')
}

async function readClock(t: Test, browser: Browser) {
  const { page, write } = await enter(browser, devices.phone, { speed: 10 })
  t.match(await page.locator('.clock').innerText(), /^Minute \d+\s+10 times as fast$/)
  await press(page, 'Situation and role')
  await page.getByText('runs 10 times as fast as a real clock').waitFor()
  await press(page, /^Back/)
  await write('Good morning.')
  await press(page, /^Ask the trainer/)
  t.match(await page.locator('.words time').innerText(), /^min \d+$/)
  const { page: slow } = await enter(browser, devices.phone)
  t.match(await slow.locator('.clock').innerText(), /^Minute 0$/)
  await slow.clock.install()
  await slow.reload()
  await slow.locator('.time-left').waitFor()
  await setDeviceClock(slow)
  const minute = await slow.locator('.clock').innerText()
  t.ok(Number(minute.slice('Minute '.length)) < 60, `${minute} does not count the hour`)
  t.not(await slow.locator('.time-left').innerText(), '0:00', 'nor does the time left')
}

async function pressEscape(t: Test, browser: Browser) {
  const { page } = await enter(browser, devices.desktop)
  await openChannel(page, 'kitchen-calls')
  await press(page, /^Answer$/)
  await focused(replyBox(page)).waitFor()
  await page.keyboard.type('A draft')
  await page.keyboard.press('Escape')
  await focused(button(page, /^Answer$/)).waitFor()
  t.equal(await heading(page, 'Thread').count(), 0, 'the side pane is closed')
  await press(page, /^Answer$/)
  t.equal(await replyBox(page).inputValue(), 'A draft', 'the draft is kept')
  await press(page, 'Situation and role')
  await press(page, 'Leave the drill')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.ok(await button(page, 'Leave the drill').isVisible(), 'the dialog closes alone')
  await page.keyboard.press('Escape')
  await focused(button(page, 'Situation and role')).waitFor()
}

async function readHint(t: Test, browser: Browser) {
  const hint = 'Enter sends. Shift+Enter: new line.'
  const { page } = await enter(browser, devices.desktop)
  await openChannel(page, 'kitchen-calls')
  await page.getByText(hint).waitFor()
  const { page: phone } = await enter(browser, devices.phone)
  await openChannel(phone, 'kitchen-calls')
  t.equal(await phone.getByText(hint).count(), 0, 'a phone has no hint')
}

async function openDocument(t: Test, browser: Browser) {
  const { page } = await enter(browser, devices.phone)
  await openChannel(page, 'papers')
  const title = page.getByText('All batches')
  await title.click()
  await page.getByText('Batch 7').waitFor()
  // The list may move after the document has opened.
  await page.evaluate(`(async () => {
    const list = document.querySelector('.messages')
    for (let top = -1, still = 0; still < 10; top = list.scrollTop) {
      await new Promise(requestAnimationFrame)
      still = top === list.scrollTop ? still + 1 : 0
    }
  })()`)
  const { y, height } = await frameOf(title)
  const list = await frameOf(page.getByRole('region', { name: 'Messages' }))
  t.ok(y >= list.y && y + height <= list.y + list.height, 'the title is in view')
}

async function nameDepartments(t: Test, browser: Browser) {
  const { secret, to } = await drill()
  const { page } = await openDevice(browser)
  await to('startSession')
  const jobs = [
    { title: 'Head of Customer Relations', department: 'Customer Relations' },
    { title: 'Order Desk Assistant', department: 'Customer Relations' },
    { title: null, department: 'Cold Store' },
  ]
  await page.route('**/briefing', async (route) => {
    const url = route.request().url().replace('play.test', '127.0.0.1')
    const json = await (await route.fetch({ url, timeout: patienceMs })).json()
    const [character] = json.cast
    const cast = jobs.map((job, i) => ({ ...character, ...job, character_id: `c-${i}` }))
    await route.fulfill({ json: { ...json, cast } })
  })
  await join(page, address, secret)
  await press(page, 'Who is who')
  const people = page.getByRole('region', { name: 'Who is who' })
  await people.getByText('Cold Store').waitFor()
  const titles = await people.locator('.person .small').allInnerTexts()
  t.strictSame(titles.slice(-3), [
    'Head of Customer Relations',
    'Order Desk Assistant, Customer Relations',
    'Cold Store',
  ])
}

async function frameOf(locator: Locator) {
  const frame = await locator.boundingBox()
  if (!frame) throw new Error(`${locator} is not visible`)
  return frame
}
