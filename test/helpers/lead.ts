import type { Browser, Page } from 'playwright-core'
import { openDevice } from './browser.js'
import type { Member } from './service.js'

/** Returns the address of the lead page: plain HTTP with a host name, as inside a company. */
export const leadAddress = (url: string) => `http://lead.test:${new URL(url).port}/lead`

export async function logIn(page: Page, { email, password }: Pick<Member, 'email' | 'password'>) {
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** Opens the page on a new device as a person who is already logged in. */
export async function openAs(
  browser: Browser,
  address: string,
  { token }: Pick<Member, 'token'>,
  options?: Parameters<typeof openDevice>[1],
) {
  const device = await openDevice(browser, options)
  await device.page.goto(address)
  const tokens = JSON.stringify({ access_token: token, refresh_token: 'none' })
  await device.page.evaluate(`sessionStorage.setItem('lead tokens', ${JSON.stringify(tokens)})`)
  await device.page.reload()
  return device
}

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click()

export const clickLink = (page: Page, name: string | RegExp) =>
  page.getByRole('link', { name }).first().click()

export const waitForHeading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name }).first().waitFor()

/** Starts a session before all participants have joined. */
export async function startAllTheSame(page: Page): Promise<void> {
  await press(page, 'Start')
  await page.getByRole('dialog').getByRole('button', { name: 'Start all the same' }).click()
}
