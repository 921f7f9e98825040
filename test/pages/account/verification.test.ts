import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { clickLink, logIn, press, waitForHeading } from '../../helpers/lead.js'
import { startWithMail } from '../../helpers/letters.js'

const { call, db, address, linkTo } = await startWithMail(t)

t.test('The page of links to confirm an address', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('confirms it, after which invitations go by mail', (t) => verify(t, browser))
  t.test('says why a link does not work', (t) => refuse(t, browser))
})

/** Registers an organization, as a person does. */
async function register() {
  const email = `${randomUUID()}@example.com`
  const password = 'correct horse battery staple'
  const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
  const { body } = await call('register', { body: { email, password, ...names } })
  return { email, password, token: body.access_token, user_id: body.user_id }
}

async function verify(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, {
    ...devices.phone,
    // The page asks for a link again when the address is confirmed.
    expected: /status of 409/,
  })
  const ada = await register()
  await page.goto(`${address}/lead`)
  await logIn(page, ada)
  await clickLink(page, 'People')
  await page.getByText(`Open the link in our mail to ${ada.email}`).waitFor()
  await checkState(t, page, 'an organization that is not verified')
  await press(page, 'Send the link again')
  await page.getByText(`A mail is on its way to ${ada.email}.`).waitFor()

  const { page: other } = await openDevice(browser, devices.narrow)
  await other.goto(await linkTo(ada.email, 2))
  await other.locator('h1:focus', { hasText: 'Confirm your e-mail address' }).waitFor()
  t.equal(other.url(), `${address}/verify-email`, 'the secret is not in the address')
  await checkState(t, other, 'the question whether the address is theirs')
  const { body } = await call('getCurrentUser', { token: ada.token })
  t.equal(body.email_verified, false, 'opening the page is not enough')
  await press(other, 'Confirm the address')
  await other.locator('h1:focus', { hasText: 'Your e-mail address is confirmed' }).waitFor()
  await checkState(t, other, 'an address that is confirmed')

  // The page in the other window does not know it yet.
  await press(page, 'Send the link again')
  await page.getByText('Open the link in our mail').waitFor({ state: 'detached' })
  await page.getByLabel('First name').fill('Tom')
  await page.getByLabel('Last name').fill('Herrera')
  await page.getByLabel('E-mail address').fill(`tom.${ada.email}`)
  await press(page, 'Invite')
  await page.getByText(`A mail is on its way to tom.${ada.email}.`).waitFor()
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function refuse(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, {
    ...devices.narrow,
    // The browser reports each response that refuses a link.
    expected: /status of 422/,
  })
  const checkRefusal = async (link: string, title: string) => {
    await page.goto(link)
    await press(page, 'Confirm the address')
    await waitForHeading(page, title)
    await checkState(t, page, title)
  }
  await checkRefusal(`${address}/verify-email?token=none`, 'This link does not work')
  const ada = await register()
  const first = await linkTo(ada.email)
  await call('resendVerification', { token: ada.token })
  await checkRefusal(first, 'There is a newer link')
  const second = await linkTo(ada.email, 2)
  const inactive = { is_active: false }
  const ofAda = () => db.updateTable('users').where('_id', '=', ada.user_id)
  await ofAda().set(inactive).execute()
  await checkRefusal(second, 'Your account is not active')
  await ofAda().set({ is_active: true }).execute()
  const past = { expires_at: new Date(Date.now() - 1).toISOString() }
  await db.updateTable('email_verifications').set(past).where('user_id', '=', ada.user_id).execute()
  await checkRefusal(second, 'This link is too old')
  const later = { expires_at: new Date(Date.now() + 60_000).toISOString() }
  await db
    .updateTable('email_verifications')
    .set(later)
    .where('user_id', '=', ada.user_id)
    .execute()
  await call('verifyEmail', { body: { token: new URL(second).searchParams.get('token') } })
  await checkRefusal(second, 'This address is confirmed already')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}
