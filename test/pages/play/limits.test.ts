import type { Browser } from 'playwright-core'
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
import { setLimits } from '../../helpers/limits.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { drill, address, admin } = await openDrills(service)
await setLimits(service.db, admin.organization_id, {
  participant_bytes: 6_000,
  participant_messages_per_minute: 2,
})

t.test('The box for a message', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('takes as much as may be sent, and the page says why no more is', (t) => fill(t, browser))
  t.test('of a phone can be sent when it is full', (t) => sendFull(t, browser))
})

async function fill(t: Test, browser: Browser) {
  const played = await drill()
  const { page } = await openDevice(browser, devices.desktop)
  await played.to('startSession')
  await join(page, address, played.secret)
  await openChannel(page, 'cell-readings')
  const send = async (text: string) => {
    await boxOf(page).fill(text)
    await boxOf(page).press('Enter')
  }
  t.equal(await boxOf(page).getAttribute('maxlength'), '4000')
  await send('x'.repeat(4_000))
  await page.locator('.message.own', { hasText: 'xxx' }).waitFor()
  await send('y'.repeat(4_000))
  await page.getByText('You have written as much as one person can in this drill.').waitFor()
  await checkState(t, page, 'a message beyond the bytes of one person')
  await send('Short.')
  await page.locator('.message.own', { hasText: 'Short.' }).waitFor()
  await send('At once.')
  await page.getByText('You have sent a lot in one minute.').waitFor()
}

async function sendFull(t: Test, browser: Browser) {
  const played = await drill()
  const { page } = await openDevice(browser, devices.phone)
  await played.to('startSession')
  await join(page, address, played.secret)
  await openChannel(page, 'cell-readings')
  await boxOf(page).fill('x'.repeat(4_000))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.message.own', { hasText: 'xxx' }).waitFor()
  t.pass('it is sent')
}
