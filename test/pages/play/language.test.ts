import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { join, openChannel, openDrills, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'
import { until } from '../../helpers/until.js'

const service = await startService(t)
const { drill, address, admin, pass } = await openDrills(service)

t.test('The page of participants', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('is in German for a browser in German', (t) => readGerman(t, browser))
  t.test('says what is so when its browser translates it', (t) => translateRoom(t, browser))
  t.test('is as right at the desk of a trainer', (t) => translateDesk(t, browser))
})

const tap = (page: Page, name: string) => page.getByRole('button', { name }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

async function readGerman(t: Test, browser: Browser) {
  const { page } = await openDevice(browser, { ...devices.phone, locale: 'de-AT' })
  const { secret, to } = await drill()
  await openLink(page, address, secret, 'Weiter')
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

/** Translates a page as browsers do: each text is taken out, and another element stands in its place. */
const translate = (page: Page) =>
  page.evaluate(`{
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode)
    for (const text of texts) {
      const parent = text.parentElement
      if (text.data.trim() === '' || parent.closest('font, [translate=no], script')) continue
      const font = document.createElement('font')
      font.append(document.createElement('font'))
      font.firstChild.append('«' + text.data + '»')
      parent.replaceChild(font, text)
    }
  }`)

async function translateRoom(t: Test, browser: Browser) {
  const { _id, secret, post, to } = await drill()
  const { page, browserErrors } = await openDevice(browser)
  await to('startSession')
  await join(page, address, secret)
  await openChannel(page, 'kitchen-calls')
  const heading = page.locator('.conversation h2')
  for (const name of ['cell-readings', 'kitchen-calls', 'cell-readings']) {
    await translate(page)
    t.match(await heading.innerText(), /^«# [a-z-]+»$/, 'the heading is translated')
    await openChannel(page, name)
    t.equal(await heading.innerText(), `# ${name}`, 'a heading is that of the open channel')
    t.equal(await page.locator('.composer textarea').getAttribute('aria-label'), `Write in ${name}`)
  }
  await translate(page)
  await pass({ _id }, 3)
  await page
    .locator('.clock')
    .getByText(/^Minute 3$/)
    .waitFor()
  await translate(page)
  await post('Cell 7 is open.')
  await page.getByText('Cell 7 is open.').waitFor()
  await to('pauseSession')
  await page.locator('.state').waitFor()
  await translate(page)
  await to('resumeSession')
  await page.locator('.state').waitFor({ state: 'detached' })
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}

async function translateDesk(t: Test, browser: Browser) {
  const { _id, post, to } = await drill()
  await to('startSession')
  const desk = `${leadAddress(service.url)}#/sessions/${_id}/run`
  const { page, browserErrors } = await openAs(browser, desk, admin)
  await page.getByText('Cell 7 was warm.').waitFor()
  await translate(page)
  const clock = page.locator('.desk-clock strong')
  const before = await clock.innerText()
  await until(async () => (await clock.innerText()) !== before)
  await post('Cell 7 is open.')
  await page.getByText('Cell 7 is open.').waitFor()
  const head = page.locator('.desk-head')
  for (const [operation, text, other] of [
    ['pauseSession', 'paused', 'running'],
    ['resumeSession', 'running', 'paused'],
    ['endSession', 'completed', 'running'],
  ] as const) {
    await translate(page)
    await to(operation)
    await head.getByText(text, { exact: true }).waitFor()
    t.notMatch(await head.innerText(), other, 'what was translated before is gone')
  }
  t.strictSame(browserErrors, [], 'the browser reports no errors')
}
