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
  await press(page, 'Send me a link')
  await page.getByText(`A mail is on its way to ${ada.email}.`).waitFor()

  const { page: other } = await openDevice(browser, devices.narrow)
  await other.goto(await linkTo(ada.email, 2))
  await other.locator('h1:focus', { hasText: 'Confirm your e-mail address' }).waitFor()
  t.equal(other.url(), `${address}/verify-email`, 'the secret is not in the address')
  await checkState(t, other, 'the question whether the address is theirs')
  const { body } = await call('getCurrentUser', { token: ada.token })
  t.equal(body.email_verified, false, 'opening the page is not enough')
  const logInAs = async (password: string) => {
    await other.getByLabel('E-mail address').fill(ada.email)
    await other.getByLabel('Password').fill(password)
    await press(other, 'Confirm the address')
  }
  await logInAs('a wrong password')
  await other.getByText('No account has this e-mail address and password.').waitFor()
  await logInAs(ada.password)
  await other.locator('h1:focus', { hasText: 'Your e-mail address is confirmed' }).waitFor()
  await checkState(t, other, 'an address that is confirmed')
  await clickLink(other, 'Lead a drill')
  await waitForHeading(other, 'Sessions')

  // The page in the other window does not know it yet.
  await press(page, 'Send me a link')
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
  const confirmAs = async ({ email, password }: Awaited<ReturnType<typeof register>>) => {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await press(page, 'Confirm the address')
  }
  const checkRefusal = async (link: string, title: string) => {
    await page.goto(link)
    await confirmAs(ada)
    await waitForHeading(page, title)
    await checkState(t, page, title)
  }
  const [ada, bea] = [await register(), await register()]
  await checkRefusal(`${address}/verify-email#none`, 'This link does not work')
  const first = await linkTo(ada.email)
  await call('resendVerification', { token: ada.token })
  await checkRefusal(first, 'There is a newer link')
  const second = await linkTo(ada.email, 2)
  const expireAt = (ms: number) =>
    db
      .updateTable('email_verifications')
      .set({ expires_at: new Date(Date.now() + ms).toISOString() })
      .where('user_id', '=', ada.user_id)
      .execute()
  await expireAt(-1)
  await checkRefusal(second, 'This link is too old')
  await expireAt(60_000)
  await page.goto(second)
  await confirmAs(bea)
  await page.getByText('This link was sent to another account.').waitFor()
  await confirmAs(ada)
  await waitForHeading(page, 'Your e-mail address is confirmed')
  await checkRefusal(second, 'This address is confirmed already')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}
