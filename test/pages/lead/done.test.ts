import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { clickLink, leadAddress, openAs, press } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { admin, drill } = await openDrills(service)
const address = leadAddress(service.url)

t.test('What a trainer has done', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('is shown at the desk for a while, or until the next action', (t) =>
    showAtDesk(t, browser),
  )
  t.test('stays in view on a page that scrolls', (t) => showInView(t, browser))
})

const done = (page: Page, hasText: string) => page.locator('.done', { hasText })

/** Lets what is done after ten seconds wait until it is called. Returns how to call it. */
async function stopTimer(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(`{
    const { setTimeout } = globalThis
    globalThis.setTimeout = (act, ms, ...more) =>
      ms === 10_000 ? setTimeout(() => (globalThis.pass = act)) : setTimeout(act, ms, ...more)
  }`)
  await page.reload()
  return async () => {
    await until(() => page.evaluate('Boolean(globalThis.pass)'))
    await page.evaluate('{ const act = pass; globalThis.pass = null; act() }')
  }
}

async function showAtDesk(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  const { page } = await openAs(browser, `${address}#/sessions/${_id}/run`, admin)
  const pass = await stopTimer(page)
  await page.getByPlaceholder('What you have noticed').fill('They ask.')
  await press(page, 'Keep the note')
  await done(page, 'The note is kept.').waitFor()
  await checkState(t, page, 'a desk that says what was done')
  const hidden = await page.evaluate('document.body.scrollHeight - innerHeight')
  t.ok(Number(hidden) <= 0, 'the desk still fits the window')
  await done(page, 'The note is kept.').hover()
  await pass()
  await done(page, 'The note is kept.').getByRole('button', { name: 'Close' }).focus()
  await page.mouse.move(0, 0)
  await pass()
  t.equal(await page.locator('.done').count(), 1, 'it stays under the mouse and with the focus')
  await page.locator('h1').focus()
  await pass()
  await page.locator('.done').waitFor({ state: 'detached' })
  await press(page, 'Pause')
  await done(page, 'The session is now: paused.').waitFor()
  await done(page, 'paused').getByRole('button', { name: 'Close' }).click()
  await page.locator('.done').waitFor({ state: 'detached' })
  await page.locator('h1:focus').waitFor()
  await press(page, 'Go on')
  await done(page, 'running').waitFor()
  await clickLink(page, 'Sessions')
  await page.getByRole('link', { name: 'Early shift' }).first().waitFor()
  t.equal(await page.locator('.done').count(), 0, 'another view begins without them')
}

async function showInView(t: Test, browser: Browser) {
  const { _id } = await drill()
  const { page } = await openAs(browser, `${address}#/sessions/${_id}`, admin, devices.narrow)
  await stopTimer(page)
  await page.getByText('Change the session').click()
  await page.getByLabel('Name of the session').fill('Late shift')
  await press(page, 'Save')
  const line = done(page, 'The session is changed.')
  await line.waitFor()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const { y, height } = (await line.boundingBox()) ?? { y: -1, height: 0 }
  t.ok(
    y >= 0 && y + height <= devices.narrow.viewport.height,
    'it is in view at the end of the page',
  )
  await checkState(t, page, 'a session that was changed')
}
