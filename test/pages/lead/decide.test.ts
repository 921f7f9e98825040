import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { call, url } = service
const { admin, drill } = await openDrills(service)
const deskOf = (id: string) => `${leadAddress(url)}#/sessions/${id}/run`

t.test('A decision at the desk', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('can be recorded in a pause, and the drill goes on', (t) => decideInPause(t, browser))
  t.test('lets the drill go on at the pace that was chosen', (t) => goOnFromDialog(t, browser))
  t.test('is shown when it is new and its part was scrolled', (t) => showNewDecision(t, browser))
})

async function decideInPause(t: Test, browser: Browser) {
  const { _id, to, params } = await drill()
  await to('startSession')
  const { page } = await openAs(browser, deskOf(_id), admin)
  await press(page, 'Record the team’s choice')
  const dialog = page.getByRole('dialog')
  const recordIt = dialog.getByRole('button', { name: 'Record it' })
  await recordIt.focus()
  await to('pauseSession')
  await dialog.getByText('The drill goes on as soon as you record the choice.').waitFor()
  const both = dialog.getByRole('button', { name: 'Record it and go on' })
  await both.and(page.locator(':focus')).waitFor()
  await page.setViewportSize(devices.phone.viewport)
  t.ok(await both.isVisible(), 'the dialog stays on a screen that shows another part')
  await page.setViewportSize(devices.desktop.viewport)
  await checkState(t, page, 'a decision in a pause')
  await page.getByText('The clock stands still', { exact: true }).waitFor()
  await both.click()
  await dialog.getByRole('group').getByText('Please choose one.').waitFor()
  const { body } = await call('getSession', { token: admin.token, params })
  t.equal(body.status, 'paused', 'it stays paused as long as nothing is chosen')
  await dialog.getByRole('radio', { name: 'Recall it all.' }).check()
  await both.click()
  await page.getByText('Recall it all. (recorded by a trainer).').waitFor()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
}

async function goOnFromDialog(t: Test, browser: Browser) {
  const { _id, to, params } = await drill()
  await to('startSession')
  await to('pauseSession')
  const { page } = await openAs(browser, deskOf(_id), admin)
  await page.getByLabel('Pace from now on').selectOption('2')
  await press(page, 'Record the team’s choice')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Recall it all.' }).check()
  await dialog.getByRole('button', { name: 'Record it and go on' }).click()
  await page.getByText('Recall it all. (recorded by a trainer).').waitFor()
  const { body } = await call('getSession', { token: admin.token, params })
  t.match(body, { status: 'running', speed: 2 })
}

async function showNewDecision(t: Test, browser: Browser) {
  const { _id, to, params } = await drill()
  const body = { content: 'They ask.\n'.repeat(40) }
  await call('createSessionNote', { token: admin.token, params, body })
  const low = { viewport: { width: 1280, height: 480 } }
  const { page } = await openAs(browser, deskOf(_id), admin, low)
  const column = page.locator('.desk-waits')
  await column.getByText('They ask.').waitFor()
  await column.hover()
  await page.mouse.wheel(0, 2000)
  const top = () => page.evaluate('document.querySelector(".desk-waits").scrollTop')
  await until(async () => Number(await top()) > 0)
  await to('startSession')
  await column.getByRole('button', { name: 'Record the team’s choice' }).waitFor()
  await until(async () => (await top()) === 0)
  t.pass('the part shows its top again')
}
