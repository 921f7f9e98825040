import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, join, openChannel, openDrills, openLink, storedIn } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { drill, address, admin } = await openDrills(service)

/** The browser reports a refusal of its login. */
const expected = /status of 401/

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('shows a participant that their link was revoked', (t) => revoke(t, browser))
  t.test('shows why a link has ended, even before joining', (t) => revokeEarly(t, browser))
  t.test('shows a participant that they were removed', (t) => remove(t, browser))
})

/** Starts a session. Returns the page of a guest in a channel. */
async function enter(browser: Browser) {
  const played = await drill()
  const { page } = await openDevice(browser, { ...devices.desktop, expected })
  await played.to('startSession')
  await join(page, address, played.secret)
  await openChannel(page, 'cell-readings')
  return { ...played, page }
}

async function revoke(t: Test, browser: Browser) {
  const { page, params, link } = await enter(browser)
  const place = { ...params, assignment_id: link?.assignment_id ?? '' }
  const { token } = admin
  await service.call('revokeSeatLink', { token, params: place })
  const removed = page.getByRole('heading', { name: 'You no longer take part' })
  const withdrawn = page.getByRole('heading', { name: 'This link was withdrawn' })
  // A request may be refused before the stream ends.
  await removed.or(withdrawn).waitFor()
  if (await removed.isVisible()) await page.getByRole('button', { name: 'Try again' }).click()
  await withdrawn.waitFor()
  t.pass('the page shows the reason')
}

async function revokeEarly(t: Test, browser: Browser) {
  const { params, link, secret } = await drill()
  const { page } = await openDevice(browser, { expected })
  await openLink(page, address, secret)
  await page.getByLabel('Your name').fill('Priya')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('checkbox').check()
  const place = { ...params, assignment_id: link?.assignment_id ?? '' }
  await service.call('revokeSeatLink', { token: admin.token, params: place })
  await page.getByRole('button', { name: 'Take part' }).click()
  await page.getByRole('heading', { name: 'This link was withdrawn' }).waitFor()
  await checkState(t, page, 'a link that was withdrawn')
}

async function remove(t: Test, browser: Browser) {
  const { page, params, link } = await enter(browser)
  await boxOf(page).fill('A draft of Priya.')
  const place = { ...params, user_id: link?.user_id ?? '' }
  const { status } = await service.call('removeParticipant', { token: admin.token, params: place })
  t.ok(status < 300)
  // A request may be refused before the stream ends.
  const removed = page.getByRole('heading', { name: 'You no longer take part' })
  await removed.or(page.getByRole('heading', { name: 'This link was withdrawn' })).waitFor()
  await checkState(t, page, 'a removed participant')
  const name = 'Forget me on this device'
  await page.getByRole('button', { name }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await page.getByRole('heading', { name: 'Take part with your account' }).waitFor()
  t.strictSame(await storedIn(page), [], 'nothing is kept')
}
