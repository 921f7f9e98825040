import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { drill, address } = await openDrills(service)

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('is in German for a browser in German', (t) => readGerman(t, browser))
})

const tap = (page: Page, name: string) => page.getByRole('button', { name }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

async function readGerman(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, { ...devices.phone, locale: 'de-AT' })
  const { secret, to } = await drill()
  await page.goto(`${address}#${secret}`)
  await heading(page, 'Wie sollen die anderen Sie nennen?')
  t.equal(await page.evaluate('document.documentElement.lang'), 'de')
  await page.getByRole('textbox').fill('Priya')
  await tap(page, 'Weiter')
  await page.getByText('Die Geschichte und ihre Nachrichten sind auf Englisch.').waitFor()
  await page.getByText('Sie nehmen freiwillig teil.').waitFor()
  const english = page.getByText('You take part of your own free will.')
  t.notOk(await english.isVisible(), 'the other language is folded')
  t.equal(await page.getByText('Deutsch').count(), 0, 'nothing names the own language')
  await page.getByText('Derselbe Text auf Englisch').click()
  await english.waitFor()
  await checkState(t, page, 'the consent in German')
  await page.getByRole('checkbox').check()
  await tap(page, 'Mitmachen')
  await tap(page, 'Gelesen: weiter')
  await to('startSession')
  await page.getByRole('button', { name: /kitchen-calls/ }).click()
  const inEnglish = page.locator('[lang=en]')
  for (const text of ['A school calls.', 'Menu of the school', 'say what the kitchen should do']) {
    await inEnglish
      .getByText(text)
      .or(inEnglish.filter({ hasText: text }))
      .first()
      .waitFor()
  }
  const boxes = await inEnglish.getByRole('textbox').count()
  t.equal(boxes, 0, 'what the page says itself is in German')
}
