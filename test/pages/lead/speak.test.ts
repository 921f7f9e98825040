import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call, url, registerAdmin } = service
const { admin, drill, create, change } = await openDrills(service)
const address = leadAddress(url)
const deskOf = (id: string) => `${address}#/sessions/${id}/run`

t.test('A trainer who speaks as a character', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('replies to the message that the box quotes', (t) => reply(t, browser))
  t.test('sees what they have said', (t) => seeOwn(t, browser))
  t.test('reaches each reply with arrows, and speaks in the channel that is read', (t) =>
    followFilter(t, browser),
  )
  t.test('sees what was refused, also in a pause', (t) => seeRefused(t, browser))
  t.test('finds each label beside its list', (t) => readLabels(t, browser))
})

const eventOf = (page: Page, hasText: string) => page.locator('.event', { hasText })
const speechOf = (page: Page) => page.getByLabel('What the character says')

async function reply(t: Test, browser: Browser) {
  const { _id, params, jonas, messages, post, to } = await drill()
  await to('startSession')
  await post('How many drivers are out?')
  const { page } = await openAs(browser, deskOf(_id), admin)
  await eventOf(page, 'How many drivers').getByRole('button', { name: 'Reply' }).click()
  const asked = (await messages()).find(({ content }) => content.startsWith('How many drivers'))
  const channel = (await call('getBriefing', { token: admin.token, params })).body.channels.find(
    (one: { conversation_id: string }) => one.conversation_id === asked?.conversation_id,
  )
  const line = `Reply to Jonas in #${channel.channel_name}: “How many drivers are out?”`
  await page.getByText(line, { exact: true }).waitFor()
  await post('And which doors are open?')
  await eventOf(page, 'And which doors').waitFor()
  await page.getByText(line, { exact: true }).waitFor()
  await checkState(t, page, 'a reply that quotes its message')
  await speechOf(page).fill('Eleven.')
  await press(page, 'Say it')
  await eventOf(page, 'Eleven.').getByText('↳ Jonas: How many drivers are out?').waitFor()
  const answer = (await messages()).find(({ content }) => content === 'Eleven.')
  t.equal(answer?.thread_id, asked?._id, 'the answer is in the thread of the message')

  const { conversation_id = '', _id: thread_id = '' } = asked ?? {}
  const body = { conversation_id, thread_id, content: 'Thank you.', client_message_id: 'thanks' }
  await call('postSessionMessage', { token: jonas.token, params, body })
  await eventOf(page, 'Thank you.')
    .getByText(/^↳ .*: Eleven\.$/)
    .waitFor()
}

async function followFilter(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  const { page } = await openAs(browser, deskOf(_id), admin)
  const where = page.locator('.speak').getByLabel('Channel')
  const shown = () => where.locator('option:checked').innerText()
  await eventOf(page, 'A school calls.').waitFor()
  const replies = page.locator('.event').getByRole('button', { name: 'Reply' })
  const count = await replies.count()
  t.ok(count > 2, 'each message has a reply')
  const stops = await replies.evaluateAll((all) => all.map(({ tabIndex }) => tabIndex))
  t.strictSame(stops, [...Array(count - 1).fill(-1), 0], 'one of them is a stop of Tab')
  await replies.last().focus()
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key)
  await replies
    .nth(count - 2)
    .and(page.locator(':focus'))
    .waitFor()
  const filter = page.getByLabel('Channel').first()
  for (const label of ['#kitchen-calls', '#cell-readings']) {
    await filter.selectOption({ label })
    t.equal(await shown(), label)
  }
  await where.selectOption({ label: '#kitchen-calls' })
  await filter.selectOption({ label: 'all channels' })
  t.equal(await shown(), '#kitchen-calls', 'all channels change nothing')
  await speechOf(page).fill('Nobody answers there.')
  await press(page, 'Say it')
  await eventOf(page, 'Nobody answers there.').getByText('#kitchen-calls').waitFor()
}

async function seeOwn(t: Test, browser: Browser) {
  const { _id, post, to } = await drill()
  await to('startSession')
  for (let i = 1; i < 15; i++) await post(`Line ${i}.`)
  const { page } = await openAs(browser, deskOf(_id), admin)
  await eventOf(page, 'Line 14.').waitFor()
  await page.locator('.feed').evaluate((feed) => feed.scrollTo(0, 0))
  await post('One more.')
  await page.getByRole('button', { name: '1 new' }).waitFor()
  await page.getByPlaceholder('Ctrl+Enter says it').fill('I am here.')
  await page.keyboard.press('Control+Enter')
  await eventOf(page, 'I am here.').waitFor()
  await page.getByRole('button', { name: /new ↓$/ }).waitFor({ state: 'detached' })
  const left = await page
    .locator('.feed')
    .evaluate((feed) => feed.scrollHeight - feed.scrollTop - feed.clientHeight)
  t.ok(left < 60, 'the newest is in view')
}

async function seeRefused(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  const { page } = await openAs(browser, deskOf(_id), admin)
  const json = { detail: 'Used.', code: 'client_message_id_used' }
  await page.route('**/messages', (route) => route.fulfill({ status: 409, json }))
  await speechOf(page).fill('Who is there?')
  await press(page, 'Say it')
  const discard = page.getByRole('button', { name: 'Discard' })
  await discard.waitFor()
  await to('pauseSession')
  await page.getByText('Characters can speak again when it goes on.').waitFor()
  t.ok(await discard.isVisible(), 'in a pause')
  await checkState(t, page, 'a refused message in a pause')
  await to('endSession')
  await page.getByText('completed', { exact: true }).waitFor()
  await page.locator('.speak').getByText('Who is there?').waitFor()
  await discard.click()
  await discard.waitFor({ state: 'detached' })
}

async function readLabels(t: Test, browser: Browser) {
  const other = await registerAdmin()
  const { token } = other
  await call('applyQuickSetup', { token, body: { scenario_type: 'crisis_response' } })
  const { _id } = await create(other, { scenario_name: 'crisis_response' })
  await change('startSession', other, { _id })
  for (const width of [1280, 1024, 390]) {
    const viewport = { width, height: 800 }
    const { page } = await openAs(browser, deskOf(_id), other, { viewport })
    const labels = page.locator('.speak-where label')
    await labels.nth(1).waitFor()
    const lines = await page.evaluate(`
      [...document.querySelectorAll('.speak-where label')].map((label) => {
        const words = document.createRange()
        words.selectNodeContents(label.firstChild)
        const rows = [...words.getClientRects()]
        const list = label.querySelector('select').getBoundingClientRect()
        const isIn = ({ top, bottom }) => top >= list.top && bottom <= list.bottom
        return { rows: rows.length, isBeside: rows.every(isIn) }
      })`)
    t.strictSame(lines, Array(2).fill({ rows: 1, isBeside: true }), `${width} pixels wide`)
    await checkState(t, page, `the labels, ${width} pixels wide`)
  }
}
