import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import type { Schema } from '../../src/contract.js'
import {
  type Device,
  devices,
  launchBrowser,
  openDevice,
  skipWithoutBrowser as skip,
} from '../helpers/browser.js'
import { boxOf, openChannel, openLink } from '../helpers/drills.js'
import { t } from '../helpers/file.js'
import { seatsOf, secretOf } from '../helpers/seats.js'
import { startService } from '../helpers/service.js'
import { sessionClocksOf } from '../helpers/session-clock.js'
import { until } from '../helpers/until.js'

/** The number of drill seconds in a real second, and a folder for pictures. */
const { DRILL_SPEED = '4', PICTURES } = process.env
const speed = Number(DRILL_SPEED)

const service = await startService(t)
const { call, registerAdmin } = service
const { createLinks } = seatsOf(service)
const { pass } = sessionClocksOf(service.db)
const address = `http://drill.test:${new URL(service.url).port}`

const roles = ['food_safety_officer', 'press_officer', 'ward_contact', 'claims_adviser']
const names = ['Priya', 'Jonas', 'Mei', 'Oskar']

/** Plans a drill in a new organization. Returns it with links for four guests. */
async function planDrill() {
  const admin = await registerAdmin()
  const { token } = admin
  await call('applyQuickSetup', { token, body: { scenario_type: 'crisis_response' } })
  const body = { name: 'Team North', scenario_name: 'crisis_response', speed }
  const { body: session } = await call('createSession', { token, body })
  const briefing = await call('getBriefing', { token, params: { session_id: session._id } })
  const known = briefing.body.facilitator.roles.map((one: { role_key: string }) => one.role_key)
  const seats = names.map((_, i) => ({ guest: true, role_key: known[i] ?? roles[i] }))
  const links = await createLinks(admin, session._id, seats)
  return { admin, session_id: session._id as string, secrets: links.map(secretOf) }
}

async function joinByLink({ page }: Device, secret = '', name = ''): Promise<void> {
  await openLink(page, `${address}/play`, secret)
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Take part' }).click()
  await page.getByRole('button', { name: 'I have read it' }).click()
  await page.getByRole('heading', { name: 'Waiting for the start' }).waitFor()
}

async function openDesk({ page }: Device, { token }: { token: string }, session_id: string) {
  const tokens = JSON.stringify({ access_token: token, refresh_token: '' })
  await page.addInitScript(`sessionStorage.setItem('lead tokens', ${JSON.stringify(tokens)})`)
  await page.goto(`${address}/lead#/sessions/${session_id}/run`)
  await page.getByRole('button', { name: 'Start' }).click()
}

async function write(page: Page, channel: string, content: string): Promise<void> {
  await openChannel(page, channel)
  await boxOf(page).fill(content)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** The ids of the messages that a page shows in a channel, from top to bottom. */
async function idsShown(page: Page, channel: string): Promise<string[]> {
  await openChannel(page, channel)
  const ids: string[] = await page.evaluate(
    `[...document.querySelectorAll('li[id^="message-"]')].map(({ id }) => id.slice(8))`,
  )
  return ids
}

async function takePicture({ page }: Device, name: string): Promise<void> {
  if (!PICTURES) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: `${PICTURES}/${name}.png` })
}

async function openAll(browser: Browser) {
  const others = /ERR_INTERNET_DISCONNECTED|ERR_NETWORK|status of 401/
  const [trainer, phone, second, third, fourth] = await Promise.all([
    openDevice(browser),
    openDevice(browser, devices.phone),
    openDevice(browser),
    openDevice(browser, { ...devices.desktop, expected: others }),
    openDevice(browser),
  ])
  return { trainer, phone, second, third, fourth }
}

t.test('A trainer and four participants play a drill to its end', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  const { admin, session_id, secrets } = await planDrill()
  const params = { session_id }
  const messages = async (): Promise<Schema<'SessionMessage'>[]> =>
    (await call('listSessionMessages', { ...admin, params, query: { limit: '500' } })).body
  const elapsed = async () =>
    (await call('getSession', { ...admin, params })).body.clock?.elapsed_ms ?? 0
  const passTo = async (minute: number) => {
    const left = minute - (await elapsed()) / 60_000
    if (left > 0) await pass({ _id: session_id }, left / speed)
  }

  const { trainer, phone, second, third, fourth } = await openAll(browser)
  const players = [phone, second, third, fourth]
  await Promise.all(players.map((one, i) => joinByLink(one, secrets[i], names[i])))
  await openDesk(trainer, admin, session_id)
  for (const { page } of players) await page.getByRole('navigation').first().waitFor()

  await passTo(12)
  await write(phone.page, 'kitchen-calls', 'Please wait ten minutes.')
  await write(third.page, 'cell-readings', 'Who has read the probe?')
  await takePicture(phone, 'play-phone')
  await third.page.context().setOffline(true)
  await boxOf(third.page).fill('I write this while the network is gone.')
  await third.page.getByRole('button', { name: 'Send' }).click()
  await fourth.page.context().close()
  await passTo(20)
  await takePicture(trainer, 'lead')
  await passTo(30)
  await third.page.context().setOffline(false)
  // The first request is refused, because the place is taken.
  const again = await openDevice(browser, { ...devices.desktop, expected: /status of 409/ })
  await openLink(again.page, `${address}/play`, secrets[3] ?? '')
  await again.page.getByRole('button', { name: 'Yes, go on' }).click()
  await again.page.getByRole('button', { name: 'I have read it' }).click()
  await again.page.getByRole('navigation').first().waitFor()
  await write(again.page, 'cell-readings', 'I am back.')
  await takePicture(again, 'play')
  const written = ['Please wait ten', 'Who has read', 'I write this', 'I am back']
  const countOf = async (text: string) =>
    (await messages()).filter(({ content }) => content.startsWith(text)).length
  for (const text of written) await until(async () => (await countOf(text)) > 0)

  await passTo(90)
  const present = [phone, second, third, again]
  for (const { page } of present) {
    await page.getByRole('heading', { name: 'The drill is over' }).waitFor()
    await page.getByRole('button', { name: 'Read the messages again' }).click()
  }
  const all = await messages()
  const { body: session } = await call('getSession', { ...admin, params })
  for (const text of written) t.equal(await countOf(text), 1, `“${text} …” is posted once`)
  for (const { channel_name, conversation_id } of session.conversations) {
    const wanted = all.filter((one) => one.conversation_id === conversation_id)
    const ids = wanted.map(({ _id }) => _id)
    for (const [i, { page }] of present.entries()) {
      t.strictSame(await idsShown(page, channel_name), ids, `${names[i]} sees #${channel_name}`)
    }
  }
  const seqsShown = (): Promise<number[]> =>
    trainer.page.evaluate(
      `[...document.querySelectorAll('[data-seq]')].map(({ dataset }) => Number(dataset.seq))`,
    )
  await until(async () => (await seqsShown()).length >= all.length)
  const wantedSeqs = all.map(({ seq }) => seq)
  t.strictSame(
    await seqsShown(),
    wantedSeqs,
    'the trainer sees all messages, each once and in order',
  )
  for (const [i, { browserErrors }] of [trainer, ...present, fourth].entries()) {
    t.strictSame(browserErrors, [], `the browser of device ${i} reports no errors`)
  }
})
