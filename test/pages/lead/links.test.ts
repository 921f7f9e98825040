import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Schema } from '../../../src/contract.js'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call, url } = service
const { admin, drill } = await openDrills(service)
const { tryToTake } = seatsOf(service)
const address = leadAddress(url)

t.test('The pack in a tab that has made no link', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('says who is in, and which links new ones end', (t) => replace(t, browser))
})

async function replace(t: Test, browser: Browser) {
  const { _id, params, link, jonas } = await drill()
  const { page } = await openAs(browser, `${address}#/sessions/${_id}/pack`, admin)
  await page.getByText('Taken by Jonas.').waitFor()
  await page.getByText('There is a link. Only the tab that made it can show it.').waitFor()
  await page.getByText(/^1 place has a link that cannot be shown here/).waitFor()
  t.equal(await page.getByText('No link yet.').count(), 0)
  t.equal(await page.getByRole('button', { name: /^Make/ }).count(), 0, 'none is missing')
  await checkState(t, page, 'the pack without links of this tab')

  await press(page, 'Renew all links …')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It logs out those who are in: Jonas.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await press(page, 'Replace 1 link …')
  await dialog.getByText('The old links stop working').waitFor()
  await checkState(t, page, 'the question before a link is replaced')
  await dialog.getByRole('button', { name: 'Make 1 link' }).click()
  await page.getByRole('img', { name: /^QR code for/ }).waitFor()
  t.equal((await tryToTake(link)).status, 422, 'the old link has ended')
  const { status } = await call('getBriefing', { token: jonas.token, params })
  t.equal(status, 200, 'who is in stays in')
  await page.getByText('Taken by Jonas.').waitFor()

  const { page: other } = await openAs(browser, `${address}#/sessions/${_id}`, admin)
  await other.getByText('There is a link. Only the tab that made it can show it.').waitFor()
  t.equal(await other.getByText('There is a link.').count(), 1, 'a taken place needs none')
  await renewOne(t, other, { params, jonas })
  const german = await openAs(browser, `${address}#/sessions/${_id}`, admin, { locale: 'de' })
  await german.page.getByText('Gast 1', { exact: true }).waitFor()
}

type Drill = Awaited<ReturnType<typeof drill>>

/** Withdraws the link of Jonas, and makes a new one, on the page of the session. */
async function renewOne(t: Test, page: Page, { params, jonas }: Pick<Drill, 'params' | 'jonas'>) {
  const dialog = page.getByRole('dialog')
  await press(page, 'Withdraw link (Jonas)')
  await dialog.getByText('You can make a new link at any time.').waitFor()
  await dialog.getByRole('button', { name: 'Withdraw link' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { status } = await call('getBriefing', { token: jonas.token, params })
  t.equal(status, 401, 'the device of Jonas is logged out')
  await press(page, 'New link (Jonas)')
  await page.getByRole('button', { name: 'Copy the link (Jonas)' }).waitFor()

  await press(page, 'New link (Jonas)')
  await dialog.getByText('The old link stops working').waitFor()
  await checkState(t, page, 'the question before a new link')
  await dialog.getByRole('button', { name: 'New link' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { token } = admin
  const { body: links } = await call('listSeatLinks', { token, params })
  const own = links.find(({ user_id }: Schema<'SeatLink'>) => user_id === jonas.user_id)
  t.match(own, { revoked_at: null, taken_at: null }, 'Jonas can come back with it')
}
