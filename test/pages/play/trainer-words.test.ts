import type { Browser, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { listen, waitToHear } from '../../helpers/announced.js'
import {
  checkState,
  composeWith,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
  tabTo,
} from '../../helpers/browser.js'
import { join, openChannel, openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { drill, address, admin, call } = { ...service, ...(await openDrills(service)) }

t.test('The words of the trainer', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('are counted apart from what arrives elsewhere on a phone', (t) =>
    countElsewhere(t, browser),
  )
  t.test('are shown like new messages', (t) => countWords(t, browser))
  t.test('are shown before the start', (t) => talkBeforeStart(t, browser))
  for (const device of ['phone', 'desktop'] as const) {
    t.test(`can be asked for by keyboard before the start, ${device}`, (t) =>
      askByKeys(t, browser, device),
    )
  }
})

/** Starts a session. Returns the page of a guest in the room. */
async function enter(browser: Browser, options: Parameters<typeof openDevice>[1]) {
  const played = await drill()
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

/** The strip that says what a trainer has written. */
const writes = (page: Page, text: string) =>
  button(page, new RegExp(`^[^:]+ writes to you: ${text}`, 'u'))

async function countElsewhere(t: Test, browser: Browser) {
  const { page, post, write } = await enter(browser, devices.phone)
  await openChannel(page, 'cell-readings')
  await openChannel(page, 'kitchen-calls')
  await button(page, /^Back$/).waitFor()
  await post('The probe is warm.')
  await button(page, 'Back 1 new message elsewhere').waitFor()
  await write('Look at the probe.')
  await writes(page, 'Look at the probe.').waitFor()
  await button(page, 'Back 1 new message elsewhere').waitFor()
  await checkState(t, page, 'a channel while something arrives elsewhere')
  await press(page, /^Answer$/)
  await button(page, 'Back 1 new message elsewhere').waitFor()
  await press(page, /^Back/)
  await openChannel(page, 'cell-readings')
  await button(page, /^Back$/).waitFor()
}

async function countWords(t: Test, browser: Browser) {
  const { page, write } = await enter(browser, devices.desktop)
  await openChannel(page, 'cell-readings')
  await openChannel(page, 'kitchen-calls')
  await until(async () => (await page.title()) === 'Early shift')
  await listen(page)
  await write('Look at the probe.')
  await waitToHear(page, 'writes to you: Look at the probe.')
  const entry = button(page, 'Ask the trainer 1 new message')
  await entry.waitFor()
  t.ok(
    await entry.locator('.entry-name').evaluate((one) => one.matches('.unread')),
    'the entry stands out like a channel',
  )
  t.equal(await page.title(), '(1) Early shift')
  await write('Then tell me.')
  await writes(page, 'Then tell me. and 1 more').click()
  await focused(heading(page, 'Ask the trainer')).waitFor()
  await page.getByRole('listitem').getByText('Look at the probe.').waitFor()
  await write('Soon.')
  await page.getByRole('listitem').getByText('Soon.').waitFor()
  await press(page, 'Close')
  await write(`Go: ${'👩🏽‍🚀'.repeat(40)}`)
  await waitToHear(page, /Go: (👩🏽‍🚀)+…$/u)
  await writes(page, 'Go: (👩🏽‍🚀)+…').click()
  t.equal(await writes(page, '').count(), 0, 'what is read has no strip')
}

async function askByKeys(_t: Test, browser: Browser, device: 'phone' | 'desktop') {
  const { secret } = await drill()
  const { page } = await openDevice(browser, devices[device])
  await join(page, address, secret)
  await heading(page, 'Waiting for the start').waitFor()
  const opener = button(page, 'Ask the trainer')
  const box = page.getByRole('textbox', { name: 'Write to the trainers' })
  await tabTo(page, opener)
  for (const closing of ['Escape', 'Back', 'opener'] as const) {
    await page.keyboard.press('Enter')
    await focused(box).waitFor()
    await composeWith(box, 'Escape')
    await page.keyboard.type(`How long, ${closing}?`)
    await tabTo(page, button(page, 'Send'))
    await page.keyboard.press('Enter')
    await focused(box).waitFor()
    await page.getByRole('listitem').getByText(`How long, ${closing}?`).waitFor()
    if (closing === 'Escape') await page.keyboard.press('Escape')
    if (closing === 'Back') await tabTo(page, button(page, /^Back|^Close/))
    if (closing === 'opener') await tabTo(page, opener)
    if (closing !== 'Escape') await page.keyboard.press('Enter')
    await box.waitFor({ state: 'detached' })
    await focused(opener).waitFor()
  }
}

async function talkBeforeStart(t: Test, browser: Browser) {
  for (const options of [devices.phone, devices.desktop]) {
    const { secret, to, link, params } = await drill()
    const { page } = await openDevice(browser, options)
    await join(page, address, secret)
    const place = { ...params, assignment_id: link?.assignment_id ?? '' }
    const body = { content: 'We wait for Jonas.', to_all: true }
    await heading(page, 'Waiting for the start').waitFor()
    await call('answerParticipant', { token: admin.token, params: place, body })
    const strip = button(page, /writes to all: We wait for Jonas/)
    await strip.waitFor()
    await checkState(t, page, 'words of a trainer before the start')
    await strip.click()
    const words = page.getByRole('listitem').filter({ hasText: 'We wait for Jonas.' })
    await words.getByText('to all').waitFor()
    await checkState(t, page, 'the words with the trainer before the start')
    await page.keyboard.press('Escape')
    await focused(button(page, 'Ask the trainer')).waitFor()
    t.equal(await strip.count(), 0, 'what is read has no strip')
    await press(page, 'Ask the trainer')
    await page.getByText('It is stored.').waitFor()
    await page.getByRole('textbox', { name: 'Write to the trainers' }).fill('How long?')
    await press(page, 'Send')
    await page.getByRole('listitem').getByText('How long?').waitFor()
    await page.getByText('Sending …').waitFor({ state: 'detached' })
    await to('startSession')
    await heading(page, 'Early shift').waitFor()
    await page.getByRole('listitem').getByText('How long?').waitFor()
    t.pass('the words stay open at the start')
  }
}
