import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  patienceMs,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, join, openChannel, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call } = service
const { drill, address, admin } = await openDrills(service)

t.test('The messages of a channel', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('are shown as text', (t) => readMarkup(t, browser))
  t.test('have a head of one line', (t) => readHeads(t, browser))
  t.test('stand below the question that they answer', (t) => findQuestion(t, browser))
  t.test('are covered by nothing', (t) => uncover(t, browser))
  t.test('let no character say what a trainer has recorded', (t) => readRecord(t, browser))
})

/** Starts a session with a character who has a name and a job. Returns the page of a guest in a channel. */
async function enter(browser: Browser, options: BrowserContextOptions) {
  const played = await drill()
  const { page } = await openDevice(browser, options)
  await played.to('startSession')
  await page.route('**/briefing', async (route) => {
    const url = route.request().url().replace('play.test', '127.0.0.1')
    const json = await (await route.fetch({ url, timeout: patienceMs })).json()
    const job = { title: 'Refrigeration Engineer', department: 'Cold Store' }
    const cast = json.cast.map((one: object) => ({ ...one, full_name: 'Nasrin Suzuki', ...job }))
    await route.fulfill({ json: { ...json, cast } })
  })
  await join(page, address, played.secret)
  await openChannel(page, 'cell-readings')
  return { ...played, page }
}

const message = (page: Page, text: string) => page.locator('.message', { hasText: text })

async function readHeads(t: Test, browser: Browser) {
  const { page } = await enter(browser, devices.phone)
  for (const text of ['Cell 7 was warm.', 'What do we do?']) {
    const head = message(page, text).locator('.message-head')
    t.match(await head.innerText(), /^Nasrin Suzuki\s+simulated\s+min 0$/)
    const parts = await Promise.all((await head.locator('> *').all()).map(frameOf))
    const bottoms = parts.map(({ y, height }) => y + height)
    const tops = parts.map(({ y }) => y)
    t.ok(Math.max(...tops) < Math.min(...bottoms), `the head of “${text}” is one line`)
  }
  const job = page.getByText('Refrigeration Engineer, Cold Store')
  t.equal(await job.count(), 1, 'the first message of a person tells the job')
  t.ok(await message(page, 'Cell 7 was warm.').getByText('Refrigeration').isVisible())
  await boxOf(page).fill('Mine.')
  await page.getByRole('button', { name: 'Send' }).click()
  const own = message(page, 'Mine.')
  await own.waitFor()
  t.equal(await own.getByText('Food safety officer').count(), 0, 'nobody is told their own job')
  await page.getByRole('button', { name: 'Reply to Nasrin Suzuki' }).first().waitFor()
  await checkState(t, page, 'heads of messages')
  await page.setViewportSize(devices.narrow.viewport)
  await checkState(t, page, 'heads of messages, narrow')
}

async function readMarkup(t: Test, browser: Browser) {
  const { page, post } = await enter(browser, devices.desktop)
  await post('<img src="x" alt="the probe">')
  await message(page, '<img src="x" alt="the probe">').waitFor()
  t.equal(await page.getByAltText('the probe').count(), 0, 'no message is HTML')
  t.strictSame(await page.context().cookies(), [], 'the page has no cookies')
}

async function findQuestion(t: Test, browser: Browser) {
  for (const options of [devices.phone, devices.desktop]) {
    const { page, post, jonas, messages, params } = await enter(browser, options)
    await post('Recall it.')
    const asked = (await messages()).find(({ content }) => content === 'What do we do?')
    const { conversation_id = '', _id: thread_id = '' } = asked ?? {}
    const body = { conversation_id, thread_id, content: 'All of it.', client_message_id: 'r-1' }
    await call('postSessionMessage', { token: jonas.token, params, body })
    const reply = page.locator('li', { hasText: 'All of it.' })
    await reply.waitFor()
    const quote = reply.getByText('Reply to Nasrin Suzuki: “What do we do?”')
    const other = await frameOf(message(page, 'Recall it.'))
    t.equal((await frameOf(quote)).x, other.x, 'the question is not below another message')
    t.ok(
      (await frameOf(message(page, 'All of it.'))).x > other.x,
      'the reply is below the question',
    )
    await checkState(t, page, 'a reply after other messages')
  }
}

async function readRecord(t: Test, browser: Browser) {
  for (const options of [devices.phone, { ...devices.desktop, locale: 'de' }]) {
    const isGerman = 'locale' in options
    const { page, params } = await (isGerman ? enterGerman(browser) : enter(browser, options))
    const place = { ...params, beat: 'recall' }
    const body = { option: 'wait', on_behalf: true, reason: 'Nobody decided.\nI record it.' }
    await call('makeDecision', { token: admin.token, params: place, body })
    const recorded = page.locator('.recorded')
    await recorded.getByText('I record it.').waitFor()
    t.match(
      await recorded.innerText(),
      isGerman
        ? /^Von der Leitung für das Team festgehalten\.\s+Min\. 0\s+Wait\.\s+Grund der Leitung: Nobody/
        : /^Recorded by the trainer for the team\.\s+min 0\s+Wait\.\s+Reason of the trainer: Nobody/,
    )
    await checkState(t, page, `what a trainer has recorded${isGerman ? ', German' : ''}`)
  }
}

async function enterGerman(browser: Browser) {
  const played = await drill()
  const { page } = await openDevice(browser, { ...devices.desktop, locale: 'de' })
  await played.to('startSession')
  await openLink(page, address, played.secretOfJonas, 'Weiter')
  await page.getByRole('button', { name: 'Ja, weiter' }).click()
  await page.getByRole('button', { name: 'Gelesen' }).click()
  await page.getByRole('heading', { name: '# cell-readings' }).waitFor()
  return { ...played, page }
}

async function uncover(t: Test, browser: Browser) {
  const { page, post } = await enter(browser, devices.phone)
  await openChannel(page, 'cell-readings')
  for (let i = 0; i < 12; i++) await post(`Reading ${i}`)
  await page.getByText('Reading 11').last().waitFor()
  await boxOf(page).fill('Mine.')
  await page.getByRole('button', { name: 'Send' }).click()
  const own = page.locator('.message.own', { hasText: 'Mine.' })
  await own.waitFor()
  const bubble = await frameOf(own.locator('> div'))
  const answer = await frameOf(own.locator('+ .reply'))
  t.ok(answer.x + answer.width <= bubble.x + bubble.width, 'Reply is inside the own message')
  const name = await frameOf(own.locator('.message-head > span').first())
  t.equal(middleOf(answer), middleOf(name), 'Reply is beside the name')
  await page.locator('.messages').evaluate((list) => list.scrollTo(0, 0))
  await post('One more.')
  const pill = page.getByRole('button', { name: /^1 new message$/ })
  await pill.waitFor()
  const list = await frameOf(page.locator('.messages'))
  t.ok((await frameOf(pill)).y >= list.y + list.height, 'the number is below the messages')
  await checkState(t, page, 'a channel with new messages below')
  await pill.click()
  await pill.waitFor({ state: 'detached' })
  await page.setViewportSize(devices.desktop.viewport)
  await page.getByRole('heading', { name: 'Channels' }).waitFor()
  const line = await frameOf(page.locator('.composer-line'))
  const messages = await frameOf(page.locator('.messages > ol'))
  t.equal(line.width, messages.width, 'the box is as wide as the messages')
}

const middleOf = ({ y, height }: { y: number; height: number }) => Math.round(y + height / 2)

async function frameOf(locator: Locator) {
  const frame = await locator.boundingBox()
  if (!frame) throw new Error(`${locator} is not visible`)
  return frame
}
