import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { clickLink, press, waitForHeading } from '../../helpers/lead.js'
import { startWithMail } from '../../helpers/letters.js'

const { call, registerAdmin, address, linkTo } = await startWithMail(t)
const { token, organization_id } = await registerAdmin()

t.test('The page of links in letters', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('keeps the data of other pages in the tab', (t) => acceptBesideOthers(t, browser))
  t.test('forgets the secret of a link when the user continues', (t) => continueToLogin(t, browser))
})

/** What the tab has stored. */
const stored = (page: Page): Promise<Record<string, string>> =>
  page.evaluate('({ ...sessionStorage })')

/** What the page of participants would continue with, from another person. */
const usedByPlay = { place: '{"seat_token":"of another person"}', link: '"of another person"' }
/** What a trainer and a participant have in the same tab. */
const ofOthers = {
  'lead tokens': '{"access_token":"a","refresh_token":"r"}',
  links: '{}',
  'draft 1 note': '{"text":"Half a sentence","id":"1"}',
  'room 1 2 outbox': '[]',
}

async function acceptBesideOthers(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, devices.phone)
  const email = `${randomUUID()}@example.com`
  const body = { first_name: 'Tomás', last_name: 'Herrera', email, access_level: 'employee' }
  await call('inviteMember', { token, params: { organization_id }, body })
  await page.goto(`${address}/play`)
  const all = JSON.stringify({ ...usedByPlay, ...ofOthers })
  await page.evaluate(`Object.assign(sessionStorage, ${all})`)
  await page.goto(await linkTo(email))
  await page.getByLabel('New password').fill('a password of my own')
  await press(page, 'Accept the invitation')
  await waitForHeading(page, 'Your drills')
  const { 'play tokens': tokens, ...others } = await stored(page)
  t.ok(tokens, 'the person is logged in')
  t.strictSame(others, ofOthers, 'only the data that the page would continue with is removed')
}

async function continueToLogin(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, devices.phone)
  for (const way of ['Log in to take part', 'Log in to lead a drill']) {
    await page.goto(`${address}/reset-password#secret`)
    await waitForHeading(page, 'Choose a new password')
    await page.goto(`${address}/forgot-password`)
    await clickLink(page, way)
    await page.getByLabel('Password').waitFor()
    t.notMatch(JSON.stringify(await stored(page)), 'secret', way)
  }
}
