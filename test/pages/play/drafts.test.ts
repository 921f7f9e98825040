import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, join, openChannel, openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { drill, address } = await openDrills(service)

t.test('A draft in the room', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  for (const device of ['phone', 'desktop'] as const) {
    t.test(`is marked at its channel, ${device}`, (t) => markDraft(t, browser, device))
    t.test(`is marked at the message that it answers, ${device}`, (t) =>
      markReply(t, browser, device),
    )
  }
})

type Device = 'phone' | 'desktop'

/** Starts a session. Returns the page of a guest in the room. */
async function enter(browser: Browser, options: BrowserContextOptions) {
  const played = await drill()
  const { page } = await openDevice(browser, options)
  await played.to('startSession')
  await join(page, address, played.secret)
  await page.getByRole('heading', { name: 'Channels' }).waitFor()
  return page
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click()
const entry = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('button', { name })
const replyBox = (page: Page) => page.getByRole('textbox', { name: 'Write a reply' })

/** Goes back to the list of channels, which a desktop shows beside. */
async function toList(page: Page, device: Device): Promise<void> {
  if (device === 'phone') await press(page, /^Back/)
  await entry(page, 'kitchen-calls').waitFor()
}

async function markDraft(t: Test, browser: Browser, device: Device) {
  const page = await enter(browser, devices[device])
  await openChannel(page, 'kitchen-calls')
  await page.getByRole('textbox', { name: 'Write in kitchen-calls' }).fill('A draft.')
  await press(page, /^Decide:/)
  await press(page, /^Back|^Close/)
  await openChannel(page, 'cell-readings')
  await toList(page, device)
  await entry(page, 'kitchen-calls').getByText('Draft').waitFor()
  t.equal(await entry(page, 'cell-readings').getByText('Draft').count(), 0)
  await openChannel(page, 'kitchen-calls')
  await press(page, 'Send')
  await openChannel(page, 'cell-readings')
  await toList(page, device)
  t.equal(
    await entry(page, 'kitchen-calls').getByText('Draft').count(),
    0,
    'what is sent is no draft',
  )
  await openChannel(page, 'kitchen-calls')
  await boxOf(page).fill('Another draft.')
  await openChannel(page, 'cell-readings')
  await toList(page, device)
  await entry(page, 'kitchen-calls').getByText('Draft').waitFor()
  await checkState(t, page, 'a draft that waits in a channel')
}

async function markReply(t: Test, browser: Browser, device: Device) {
  const page = await enter(browser, devices[device])
  const mark = page.getByRole('button', { name: 'Draft: go on writing' })
  await openChannel(page, 'kitchen-calls')
  await press(page, /^Answer$/)
  await replyBox(page).fill('No. Lock')
  t.equal(await mark.count(), 0, 'a draft that is shown has no mark')
  await press(page, /^Back|^Close/)
  await mark.waitFor()
  t.equal(
    await page
      .locator('li', { hasText: 'May it serve the salad?' })
      .and(page.locator('li:has(.drafted)'))
      .count(),
    1,
  )
  await checkState(t, page, 'a reply that is begun')
  await toList(page, device)
  await entry(page, 'kitchen-calls').getByText('Draft').waitFor()
  t.equal(await entry(page, 'cell-readings').getByText('Draft').count(), 0)
  await page.reload()
  await openChannel(page, 'kitchen-calls')
  await mark.click()
  t.equal(await replyBox(page).inputValue(), 'No. Lock')
  await page.getByRole('button', { name: 'Send' }).last().click()
  await page.getByText('You have answered').last().waitFor()
  await press(page, /^Back|^Close/)
  await page.getByRole('heading', { name: '# kitchen-calls' }).waitFor()
  t.equal(await mark.count(), 0, 'what is sent is no draft')
  await toList(page, device)
  t.equal(await entry(page, 'kitchen-calls').getByText('Draft').count(), 0)
}
