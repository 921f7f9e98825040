import type { Page } from 'playwright-core'
import { launchBrowser, patienceMs, skipWithoutBrowser as skip } from '../helpers/browser.js'
import { serveChat } from '../helpers/chat-example.js'
import { t } from '../helpers/file.js'
import { openQuestions } from '../helpers/questions.js'
import type { Member } from '../helpers/service.js'
import { startService } from '../helpers/service.js'

const origin = await serveChat(t)
const service = await startService(t, { CORS_ORIGINS: origin })
const { admin, ben, cleo, play, ask, post, reply, change, addMessages, messageThat } =
  await openQuestions(service)

/** Opens the page as a participant, with the only session that runs. */
async function openChat(page: Page, { token }: Member) {
  page.setDefaultTimeout(patienceMs)
  await page.goto(origin)
  const login = JSON.stringify({ address: service.url, access_token: token })
  await page.evaluate(`sessionStorage.setItem('login', ${JSON.stringify(login)})`)
  await page.reload()
  await page.getByRole('button', { name: 'Tuesday (running)' }).click()
}

/** The texts of the messages from top to bottom, those of replies with an arrow. */
const drawn = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('#messages li')].map(({ className, lastChild }) =>
    (className === 'reply' ? '> ' : '') + lastChild.innerText.split('\\n')[1])`)

t.test('The example of a chat page', { skip }, async (t) => {
  const browser = await launchBrowser(t)

  t.test('draws each reply below its own thread while two threads grow', async (t) => {
    const page = await browser.newPage()
    const session = await play()
    const say = async (content: string, thread_id?: string) =>
      (await post(cleo, session, { content, ...(thread_id && { thread_id }) })).body._id
    const first = await say('First')
    const second = await say('Second')
    await say('To the first', first)
    await openChat(page, ben)
    await say('To the second', second)
    await say('Again to the first', first)
    await say('Third')
    await page.getByText('Third').waitFor()
    t.strictSame(await drawn(page), [
      'First',
      '> To the first',
      '> Again to the first',
      'Second',
      '> To the second',
      'Third',
    ])
    await change('endSession', admin, session)
  })

  t.test('reads the beginning of a thread that is older than the last messages', async (t) => {
    const page = await browser.newPage()
    const session = await play()
    const first = await post(cleo, session, { content: 'First' })
    const reply = { thread_id: first.body._id }
    await post(cleo, session, { content: 'At once', ...reply })
    await addMessages(session, 60, 'Meanwhile')
    await post(cleo, session, { content: 'Much later', ...reply })
    await openChat(page, ben)
    await page.getByText('Much later').waitFor()
    t.strictSame((await drawn(page)).slice(0, 4), [
      'First',
      '> At once',
      '> Much later',
      'Meanwhile',
    ])
    await change('endSession', admin, session)
  })

  t.test('shows what a character asks, until when, and that it is answered', async () => {
    const page = await browser.newPage()
    const session = await ask()
    await openChat(page, ben)
    const { _id } = await messageThat(session, 'How do we repair it?')
    const question = page.locator(`[id="${_id}"] .question`)
    const shows = (text: string | RegExp) => question.filter({ hasText: text }).waitFor()
    await shows(/^decide \(by hand, anew\): until \d/)
    await change('pauseSession', admin, session)
    await shows('the clock stands still')
    await change('resumeSession', admin, session)
    await shows(/until \d/)
    await reply(ben, session, 'How do we repair it?')
    await shows('decide (by hand, anew): answered')
    await change('endSession', admin, session)
  })

  t.test('shows that a question has lapsed', async () => {
    const page = await browser.newPage()
    const session = await ask({ speed: 60 })
    await openChat(page, ben)
    const question = page.locator('.question', { hasText: 'by hand, anew)' })
    await question.filter({ hasText: 'until' }).waitFor()
    await question.filter({ hasText: 'lapsed' }).waitFor()
    await change('endSession', admin, session)
  })
})
