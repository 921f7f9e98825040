import type { Browser, Locator } from 'playwright-core'
import type { Test } from 'tap'
import {
  checkState,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { boxOf, openChannel, openLink } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs } from '../../helpers/lead.js'
import { folderWith, scenarioOfReadme } from '../../helpers/own-scenario.js'
import { seatsOf, secretOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'
import { sessionsOf } from '../../helpers/sessions.js'

/** The scenario of the README, in part in Hebrew. */
const inHebrew = scenarioOfReadme()
  .replace('label: Evacuation\n', 'label: Evacuation\nlang: he\n')
  .replace('You count your floor.', 'סופרים את הקומה.')
  .replace('purpose: questions of floor wardens', 'purpose: שאלות של הקומות')
  .replace(/(id: error[\s\S]*?text: )\{.*\}\n/, '$1"הבניין ריק."\n')
const service = await startService(t, { CATALOGUE_DIR: folderWith(t, inHebrew) })
const { call, url, registerAdmin } = service
const { create, change, pass } = sessionsOf(service)
const scenario_name = 'evacuation'

t.test('A story in Hebrew', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  await t.test('is written and spoken as Hebrew in both pages', (t) => readHebrew(t, browser))
})

/** Expects a text in a language, or in an unknown one, from right to left. */
async function isFromRight(t: Test, text: Locator, lang: string) {
  await text.first().waitFor()
  const found = await text.first().evaluate((one) => ({
    lang: one.closest('[lang]')?.getAttribute('lang'),
    isFromRight: one.matches(':dir(rtl)'),
  }))
  t.strictSame(found, { lang, isFromRight: true })
}

async function readHebrew(t: Test, browser: Browser) {
  const admin = await registerAdmin()
  const { token } = admin
  await call('applyQuickSetup', { token, body: { scenario_type: scenario_name, team_size: 3 } })
  const session = await create(admin, { scenario_name, timing: 'drill' })
  const params = { session_id: session._id }
  t.equal((await call('getBriefing', { token, params })).body.lang, 'he')
  const [link] = await seatsOf(service).createLinks(admin, session._id, [
    { guest: true, role_key: 'warden' },
  ])
  const { page } = await openDevice(browser)
  await openLink(page, `http://play.test:${new URL(url).port}/play`, secretOf(link))
  await page.getByLabel('Your name').fill('👩🏽‍🚀מרים')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('The story and its messages are in Hebrew.').waitFor()
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Take part' }).click()
  await isFromRight(t, page.getByText('סופרים את הקומה.'), 'he')
  await page.getByRole('button', { name: 'I have read it' }).click()
  await change('startSession', admin, session)
  await openChannel(page, 'floor-wardens')
  await isFromRight(t, page.locator('.pane-head').getByText('שאלות של הקומות'), 'he')
  await boxOf(page).fill('מי שם?')
  await isFromRight(t, boxOf(page), '')
  await page.keyboard.press('Enter')
  await isFromRight(t, page.locator('.message').getByText('מי שם?'), '')
  await pass(session, 20)
  await isFromRight(t, page.locator('.message').getByText('הבניין ריק.'), 'he')
  await checkState(t, page, 'a channel in Hebrew')
  const desk = `${leadAddress(url)}#/sessions/${session._id}/run`
  const { page: lead } = await openAs(browser, desk, admin)
  await isFromRight(t, lead.locator('.event').getByText('הבניין ריק.'), 'he')
  await isFromRight(t, lead.locator('.event').getByText('מי שם?'), '')
  await checkState(t, lead, 'a desk in Hebrew')
}
