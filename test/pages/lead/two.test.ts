import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, waitForHeading } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { admin, drill } = await openDrills(service)
const address = leadAddress(service.url)

t.test('Two sessions', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('are shown side by side', (t) => showBoth(t, browser))
})

async function showBoth(t: Test, browser: Browser) {
  const early = await drill()
  const late = await drill({ name: 'Late shift' })
  for (const { to } of [early, late]) await to('startSession')
  await early.post('The early team asks.')
  await late.post('The late team asks.')
  const { page } = await openAs(browser, `${address}#/sessions/${early._id}/run`, admin)
  await page.getByLabel('Beside it').selectOption({ label: 'Late shift' })
  await waitForHeading(page, 'Two sessions side by side')
  for (const [name, team, other] of [
    ['Early shift', 'early', 'late'],
    ['Late shift', 'late', 'early'],
  ]) {
    const desk = page.getByRole('region', { name, exact: true })
    await desk.getByRole('heading', { name }).waitFor()
    await desk.getByText(`The ${team} team asks.`).waitFor()
    t.equal(await desk.getByText(`The ${other} team asks.`).count(), 0, `${name} alone`)
  }
  await checkState(t, page, 'two sessions side by side')
}
