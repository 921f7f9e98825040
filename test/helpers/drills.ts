import type { Browser, Page } from 'playwright-core'
import type { Schema } from '../../src/contract.js'
import { openDevice } from './browser.js'
import { openDecisions, said, storyWith } from './decisions.js'
import { seatsOf, secretOf } from './seats.js'
import type { startService } from './service.js'

type Service = Awaited<ReturnType<typeof startService>>

const scenario_name = 'crisis_response'
const schoolAsks = 'say what the kitchen should do'
const question = {
  beat: 'kitchen_answer',
  expectation: { act: schoolAsks, deadline_minutes: 20 },
}

/** An organization with drills that guests play in a browser. */
export async function openDrills(service: Service) {
  const { call, url } = service
  const stage = await openDecisions(service)
  const { admin, addScenario, create, change } = stage
  const { createLinks, take, joinAs } = seatsOf(service)
  const story = storyWith(['food_safety_officer'])
  await addScenario(admin, story, { scenario_name, channel_name: 'cell-readings' })
  const menu = { title: 'Menu of the school', text: 'Today: chicken salad\nTomorrow: soup' }
  const calls = [
    said(0, 'A school calls.', { artefact: menu }),
    said(0, 'May it serve the salad?', question),
  ]
  await addScenario(admin, calls, { scenario_name, channel_name: 'kitchen-calls' })

  /** The address of the page: plain HTTP with a host name, as inside a company. */
  const addressOf = (port: string) => `http://play.test:${port}/play`
  const address = addressOf(new URL(url).port)
  let posted = 0

  /** A session with a place for a guest in a browser, and one for Jonas, who calls the service. */
  async function drill(fields: Partial<Schema<'SessionCreation'>> = {}) {
    const { _id } = await create(admin, { scenario_name, name: 'Early shift', ...fields })
    const [link, second] = await createLinks(admin, _id, [
      { guest: true, role_key: 'food_safety_officer' },
      { guest: true, role_key: 'press_officer' },
    ])
    const jonas = await take(second)
    await joinAs(jonas, 'Jonas')
    const params = { session_id: _id }

    async function messages(): Promise<Schema<'SessionMessage'>[]> {
      const { body } = await call('listSessionMessages', { token: admin.token, params })
      return body
    }

    /** Posts as Jonas in the channel with the decision. */
    async function post(content: string): Promise<void> {
      const asked = (await messages()).find(({ expectation }) => expectation?.decision)
      const { conversation_id } = asked ?? { conversation_id: '' }
      const body = { conversation_id, content, client_message_id: `j-${++posted}` }
      await call('postSessionMessage', { token: jonas.token, params, body })
    }

    /** Answers the question of the school as Jonas. */
    async function replyToSchool(content: string): Promise<void> {
      const asked = (await messages()).find(({ expectation }) => expectation?.act === schoolAsks)
      const { conversation_id = '', _id: thread_id = '' } = asked ?? {}
      const body = { conversation_id, thread_id, content, client_message_id: `j-${++posted}` }
      await call('postSessionMessage', { token: jonas.token, params, body })
    }

    /** Asks the trainers privately, as Jonas or as another participant. */
    const ask = (content: string, { token } = jonas) =>
      call('askTrainer', { token, params, body: { content } })

    const to = (operation: 'startSession' | 'pauseSession' | 'resumeSession' | 'endSession') =>
      change(operation, admin, { _id })

    const [secret, secretOfJonas] = [link, second].map(secretOf)
    return {
      _id,
      params,
      secret: secret ?? '',
      secretOfJonas: secretOfJonas ?? '',
      link,
      jonas,
      messages,
      post,
      replyToSchool,
      ask,
      to,
    }
  }

  /** Starts a session. Returns the page of a guest in a channel. */
  async function enter(browser: Browser) {
    const played = await drill()
    const { page } = await openDevice(browser)
    await played.to('startSession')
    await join(page, address, played.secret)
    await openChannel(page, 'cell-readings')
    return { ...played, page }
  }

  return { ...stage, drill, enter, address, addressOf }
}

/** Opens a seat link, and presses the button that takes the place. */
export async function openLink(page: Page, address: string, secret: string, label = 'Go on') {
  await page.goto(`${address}#${secret}`)
  await page.getByRole('button', { name: label, exact: true }).click()
}

/** Joins by a seat link, and enters the waiting room or, after the start, the room. */
export async function join(page: Page, address: string, secret: string): Promise<void> {
  await openLink(page, address, secret)
  await page.getByLabel('Your name').fill('Priya')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Take part' }).click()
  await page.getByRole('button', { name: 'I have read it' }).click()
}

/** Opens a channel, from the list or from another pane of a phone. */
export async function openChannel(page: Page, name: string): Promise<void> {
  const entry = page.getByRole('navigation').getByRole('button', { name })
  const back = page.getByRole('button', { name: 'Back' })
  await entry.or(back).first().waitFor()
  while (!(await entry.isVisible())) await back.click()
  await entry.click()
  await page.getByRole('heading', { name: `# ${name}` }).waitFor()
}

/** The box for a message in the open channel. */
export const boxOf = (page: Page) => page.getByRole('textbox', { name: /^Write in/ })

/** The names of all that the browser and the tab have stored. */
export const storedIn = (page: Page): Promise<string[]> =>
  page.evaluate('Object.keys(localStorage).concat(Object.keys(sessionStorage))')

/** Returns the number of bytes that a page transfers when it loads. */
export async function firstLoadOf(page: Page, address: string): Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    const isPart = /\/(play|pages\/)/.test(request.url())
    if (isPart) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  await page.goto(address, { waitUntil: 'networkidle' })
  return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0)
}
