import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../helpers/browser.js'
import { join, openChannel, openDrills } from '../helpers/drills.js'
import { t } from '../helpers/file.js'
import { leadAddress, openAs } from '../helpers/lead.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { drill, address, admin } = await openDrills(service)
const lead = leadAddress(service.url)
/** The browser reports each request that finds no network. */
const expected = /ERR_INTERNET_DISCONNECTED/
const streams = /\/events$/

t.test('Behind a proxy that holds streams back', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('a participant learns of the start, and of news', (t) => takePart(t, browser))
  t.test('a trainer sees the list of sessions and the desk change', (t) => leadOne(t, browser))
})

/** Holds streams back from the next load of the page on. */
async function hold(page: Page): Promise<void> {
  await page.clock.install()
  await page.route(streams, () => {})
}

/** Lets so much time pass that the page no longer waits for a stream. */
const pass = (page: Page) => page.clock.runFor(34_000)

const strip = (page: Page, hasText: string) => page.locator('.state', { hasText })

async function takePart(t: Test, browser: Browser) {
  const { secret, post, to } = await drill()
  const { page, browserErrors } = await openDevice(browser, { ...devices.phone, expected })
  await hold(page)
  await join(page, address, secret)
  await page.getByRole('heading', { name: 'Waiting for the start' }).waitFor()
  await page.context().setOffline(true)
  await strip(page, 'No connection.').waitFor()
  await checkState(t, page, 'a waiting room without a connection')
  await page.context().setOffline(false)
  await strip(page, 'No connection.').waitFor({ state: 'detached' })
  await pass(page)
  await strip(page, 'Slow connection.').waitFor()
  await checkState(t, page, 'a waiting room with a slow connection')
  await to('startSession')
  await page.getByRole('heading', { name: 'Early shift' }).waitFor()
  await strip(page, 'Slow connection.').waitFor()
  await openChannel(page, 'cell-readings')
  await post('It comes in a list.')
  await page.getByText('It comes in a list.').first().waitFor()
  await page.unroute(streams)
  await pass(page)
  await strip(page, 'Slow connection.').waitFor({ state: 'detached' })
  await post('It comes in the stream.')
  await page.getByText('It comes in the stream.').first().waitFor()
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function leadOne(t: Test, browser: Browser) {
  const { _id, post, to } = await drill({ name: 'Late shift' })
  const { page } = await openAs(browser, lead, admin)
  await hold(page)
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'Late shift' })
  await row.getByText('not started yet').waitFor()
  await pass(page)
  await to('startSession')
  await row.getByText('running').waitFor()
  await page.goto(`${lead}#/sessions/${_id}/run`)
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await pass(page)
  await strip(page, 'Slow connection.').waitFor()
  await checkState(t, page, 'a desk with a slow connection')
  await post('It comes in a list.')
  await page.locator('.event', { hasText: 'It comes in a list.' }).waitFor()
  await to('pauseSession')
  await page.getByText('paused', { exact: true }).waitFor()
  t.equal(await strip(page, '').count(), 1)
}
