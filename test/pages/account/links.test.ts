import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
  tabTo,
  warnOfCommon,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { clickLink, logIn, press, waitForHeading } from '../../helpers/lead.js'
import { ageResetLink, startWithMail } from '../../helpers/letters.js'

const { call, db, registerAdmin, address, linkTo } = await startWithMail(t)
const admin = await registerAdmin({ organization_name: 'Söhne & <b>Co</b>' })
const { token, organization_id } = admin
const chosen = 'a password of my own'
/** The browser reports each response that refuses a link. */
const expected = /status of 422/

t.test('The page of links in letters', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('logs an invited participant in', (t) => acceptAsEmployee(t, browser))
  t.test('opens the page of trainers for an invited trainer', (t) => acceptAsTrainer(t, browser))
  t.test('sets a new password, with a keyboard alone', (t) => resetByKeys(t, browser))
  t.test('says why an invitation does not work', (t) => refuseInvitations(t, browser))
  t.test('says why a link for a new password does not work', (t) => refuseResets(t, browser))
  t.test('keeps the link while the service is unavailable', (t) => retryAfterOutage(t, browser))
  t.test('is in German for a browser in German', (t) => readGerman(t, browser))
})

/** Invites a person by mail. Returns them with the link of the letter. */
async function invite(access_level = 'employee') {
  const email = `${randomUUID()}@example.com`
  const names = { first_name: 'Tomás', last_name: 'Herrera' }
  const body = { ...names, email, access_level }
  const answer = await call('inviteMember', { token, params: { organization_id }, body })
  const { _id: user_id } = answer.body.user
  return { email, user_id, link: await linkTo(email) }
}

/** Requests a new password. Returns the link of the letter with this number. */
async function requestReset(email: string, place = 1): Promise<string> {
  await ageResetLink(db, email)
  await call('requestPasswordReset', { body: { email } })
  return linkTo(email, place)
}

const tokenOf = (link: string) => new URL(link).hash.slice(1)
const accept = (link: string) =>
  call('acceptInvitation', { body: { token: tokenOf(link), new_password: chosen } })

async function setPassword(page: Page, button: string, password = chosen) {
  await page.getByLabel('New password').fill(password)
  await press(page, button)
}

async function acceptAsEmployee(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, { ...devices.phone, expected })
  const { email, link } = await invite()
  await page.goto(`${address}/play`)
  await page.evaluate(`sessionStorage.setItem('place', '{"seat_token":"of another person"}')`)
  await page.goto(link)
  await page.locator('h1:focus', { hasText: 'Söhne & <b>Co</b> invites you' }).waitFor()
  t.equal(page.url(), `${address}/accept-invitation`, 'the secret is not in the address')
  await page.getByText('Tomás Herrera, you are invited to take part in drills.').waitFor()
  t.equal(await page.getByLabel('E-mail address').inputValue(), email)
  await checkState(t, page, 'an invitation')
  await page.reload()
  await waitForHeading(page, 'invites you')
  await setPassword(page, 'Accept the invitation', 'short')
  await page.getByText('This is too short.').waitFor()
  // A browser counts each of these as two characters.
  await setPassword(page, 'Accept the invitation', '🐎🐎🐎🐎')
  await page.locator(':focus:valid[aria-invalid]').waitFor()
  await page.locator('.unseen[role=alert]', { hasText: 'This is too short.' }).waitFor()
  await checkState(t, page, 'a password that is too short')
  await warnOfCommon(t, page, 'New password')
  await setPassword(page, 'Accept the invitation')
  await waitForHeading(page, 'Your drills')
  t.equal(page.url(), `${address}/play`)
  await page.goBack()
  t.not(new URL(page.url()).pathname, '/accept-invitation', 'the link is not in the history')
  t.equal((await call('login', { body: { email, password: chosen } })).status, 200)
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function acceptAsTrainer(t: Test, browser: Browser) {
  const levels = { admin: 'as an administrator', hr: 'as a trainer', executive: 'as an executive' }
  for (const [level, words] of Object.entries(levels)) {
    const { page, browserErrors } = await openDevice(browser)
    await page.goto((await invite(level)).link)
    await page.getByText(words).waitFor()
    await checkState(t, page, `the invitation of ${level}`)
    await setPassword(page, 'Accept the invitation')
    await waitForHeading(page, 'Sessions')
    t.equal(new URL(page.url()).pathname, '/lead')
    t.strictSame(browserErrors, [], `the browser reports no errors to ${level}`)
  }
}

async function resetByKeys(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, devices.narrow)
  const { email } = await registerAdmin()
  const enter = async (name: string, role: 'button' | 'link') => {
    await tabTo(page, page.getByRole(role, { name }))
    await page.keyboard.press('Enter')
  }
  await page.goto(`${address}/lead`)
  await enter('Forgot your password?', 'link')
  await page.locator('h1:focus', { hasText: 'Forgot your password?' }).waitFor()
  await checkState(t, page, 'the question for a link')
  await tabTo(page, page.getByLabel('E-mail address'))
  await page.keyboard.type(email)
  await enter('Send me a link', 'button')
  await page.locator('h1:focus', { hasText: 'Look in your mailbox' }).waitFor()
  await page.getByText(`If there is an account with the address ${email}`).waitFor()
  await checkState(t, page, 'the answer to it')
  await page.goto(await linkTo(email))
  await page.locator('h1:focus', { hasText: 'Choose a new password' }).waitFor()
  t.equal(page.url(), `${address}/reset-password`, 'the secret is not in the address')
  await checkState(t, page, 'the choice of a password')
  await tabTo(page, page.getByLabel('New password'))
  await page.keyboard.type(chosen)
  await page.keyboard.press('Enter')
  await page.locator('h1:focus', { hasText: 'Your new password is saved' }).waitFor()
  await checkState(t, page, 'the password that is saved')
  await enter('Log in to lead a drill', 'link')
  await logIn(page, { email, password: chosen })
  await waitForHeading(page, 'Sessions')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function refuseInvitations(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, { ...devices.narrow, expected })
  const checkRefusal = async (link: string, title: string) => {
    await page.goto(link)
    await waitForHeading(page, title)
    t.equal(page.url(), `${address}/accept-invitation`)
    await checkState(t, page, title)
    await page.reload()
    await waitForHeading(page, 'Open the link of your mail')
  }
  await checkRefusal(`${address}/accept-invitation#none`, 'This link does not work')
  await checkRefusal(`${address}/accept-invitation#${'x'.repeat(201)}`, 'This link does not work')
  await checkState(t, page, 'a page without a link')
  const used = await invite()
  await accept(used.link)
  await checkRefusal(used.link, 'This invitation is accepted already')
  const expired = await invite()
  const past = { expires_at: new Date(Date.now() - 1).toISOString() }
  await db.updateTable('invitations').set(past).where('user_id', '=', expired.user_id).execute()
  await checkRefusal(expired.link, 'This invitation is too old')
  const replaced = await invite()
  const params = { organization_id, user_id: replaced.user_id }
  await call('resendInvitation', { token, params })
  await checkRefusal(replaced.link, 'There is a newer invitation')
  await call('revokeInvitation', { token, params })
  const latest = await linkTo(replaced.email, 2)
  await checkRefusal(latest, 'This invitation was withdrawn')
  const inactive = await invite()
  const { user_id } = inactive
  await call('updateUser', { token, params: { user_id }, body: { is_active: false } })
  await checkRefusal(inactive.link, 'Your account is not active')

  const late = await invite()
  await page.goto(late.link)
  await waitForHeading(page, 'invites you')
  await accept(late.link)
  await setPassword(page, 'Accept the invitation')
  await waitForHeading(page, 'This invitation is accepted already')
  await clickLink(page, 'Log in to take part')
  await waitForHeading(page, 'Take part with your account')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function refuseResets(t: Test, browser: Browser) {
  const { page, browserErrors } = await openDevice(browser, { ...devices.phone, expected })
  const { email, user_id } = await registerAdmin()
  const checkRefusal = async (link: string, title: string) => {
    await page.goto(link)
    await setPassword(page, 'Save the password')
    await waitForHeading(page, title)
    await checkState(t, page, title)
    await page.reload()
    await waitForHeading(page, 'Open the link of your mail')
  }
  await checkRefusal(`${address}/reset-password#none`, 'This link does not work')
  const first = await requestReset(email)
  const second = await requestReset(email, 2)
  await checkRefusal(first, 'There is a newer link')
  await call('resetPassword', { body: { token: tokenOf(second), new_password: chosen } })
  await checkRefusal(second, 'This link is used already')
  const third = await requestReset(email, 3)
  const past = { expires_at: new Date(Date.now() - 1).toISOString() }
  await db.updateTable('password_resets').set(past).where('user_id', '=', user_id).execute()
  await page.goto(third)
  await setPassword(page, 'Save the password')
  await waitForHeading(page, 'This link is too old')
  await clickLink(page, 'Ask for a new link')
  await page.getByLabel('E-mail address').fill(email)
  await press(page, 'Send me a link')
  await waitForHeading(page, 'Look in your mailbox')
  await page.goto(await linkTo(email, 4))
  await setPassword(page, 'Save the password', 'another password of mine')
  await waitForHeading(page, 'Your new password is saved')
  await clickLink(page, 'Log in to take part')
  await clickLink(page, 'Forgot your password?')
  await waitForHeading(page, 'Forgot your password?')
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function retryAfterOutage(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, devices.phone)
  const { link } = await invite()
  const calls = /\/api\/v1\/auth\//
  await page.route(calls, (route) => route.abort())
  await page.goto(link)
  await waitForHeading(page, 'This did not work')
  await checkState(t, page, 'an unavailable service')
  await page.unroute(calls)
  await press(page, 'Try again')
  await waitForHeading(page, 'invites you')
  await page.route(calls, (route) => route.abort())
  await setPassword(page, 'Accept the invitation')
  await page.getByText('No connection. Please try again.').waitFor()
  await page.unroute(calls)
  await press(page, 'Accept the invitation')
  await waitForHeading(page, 'Your drills')
}

async function readGerman(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, { ...devices.narrow, locale: 'de-AT' })
  await page.goto((await invite('hr')).link)
  await waitForHeading(page, 'lädt Sie ein')
  await checkState(t, page, 'an invitation in German')
  await page.goto(`${address}/forgot-password`)
  await waitForHeading(page, 'Passwort vergessen?')
  await checkState(t, page, 'the question for a link in German')
}
