import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { createId } from '../../src/formats/identifiers.js'
import { launchBrowser, patienceMs, skipWithoutBrowser as skip } from '../helpers/browser.js'
import { chatFile, serveChat } from '../helpers/chat-example.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const origin = await serveChat(t)
const service = await startService(t, { CORS_ORIGINS: `null,${origin}` })
const { call, url } = service
const { session, admin, organization_id, cleo, join } = await openWorkplace(service)
const ben = await invite('ben')

/** An expression that runs in the page. */
const stored = `sessionStorage.getItem('login')`

/** Invites an employee, who then sets a password. */
async function invite(first_name: string) {
  const email = `${createId()}@example.com`
  const person = { first_name, last_name: 'Okoro', email }
  const params = { organization_id }
  const invited = await call('inviteMember', { token: admin.token, params, body: person })
  const temporary = invited.body.temporary_password
  const { body } = await call('login', { body: { email, password: temporary } })
  const password = 'a password of their own'
  const change = { current_password: temporary, new_password: password }
  await call('changePassword', { token: body.access_token, body: change })
  return { email, password, user_id: invited.body.user._id }
}

async function logIn(page: Page, address: string) {
  const { email, password } = ben
  await page.goto(address)
  await page.fill('[name=address]', url)
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

t.test('The example of a chat page', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  const page = await browser.newPage()
  page.setDefaultTimeout(patienceMs)
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('dialog', (dialog) => dialog.accept())

  const participants = [ben, cleo].map(({ user_id }) => ({ user_id }))
  const session_id = await session({ name: 'Early shift', participants })
  await join(cleo, session_id)

  t.test('runs from a file, asks for consent and waits for the start', async (t) => {
    await logIn(page, pathToFileURL(chatFile).href)
    await page.getByRole('button', { name: 'Early shift (draft)' }).click()
    await page.getByText('draft', { exact: true }).waitFor()
    const params = { session_id }
    const places = await call('listParticipants', { token: admin.token, params })
    t.ok(places.body.every(({ joined_at }: { joined_at: string | null }) => joined_at))
    await call('startSession', { token: admin.token, params })
    await page.getByText('running', { exact: true }).waitFor()
    await page.locator('#say').waitFor()
  })

  t.test('shows each message with its author, and posts an answer in the thread', async (t) => {
    const params = { session_id }
    const read = () => call('listSessionMessages', { token: cleo.token, params })
    const briefing = await call('getBriefing', { token: cleo.token, params })
    const [first] = (await read()).body
    const { full_name } = briefing.body.cast.find(
      (one: { character_id: string }) => one.character_id === first.sender_id,
    )
    const line = page.locator(`[id="${first._id}"]`)
    await line.waitFor()
    t.equal(await line.locator('b').innerText(), full_name)
    t.match(await line.innerText(), first.content)
    const drawn = await line.locator('img').evaluate((image) => Reflect.get(image, 'naturalWidth'))
    t.ok(drawn > 0, 'the picture is there')

    await line.click()
    await page.fill('[name=content]', 'I look into it.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('li.reply', { hasText: 'I look into it.' }).waitFor()
    const answer = (await read()).body.at(-1)
    t.equal(answer.sender_id, ben.user_id)
    t.equal(answer.thread_id, first.thread_id ?? first._id)
  })

  t.test('is still logged in after a reload, and continues to read', async (t) => {
    // From a web server: a page from a file sometimes has no sessionStorage after a reload.
    await logIn(page, origin)
    await page.getByRole('button', { name: 'Early shift (running)' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Early shift (running)' }).click()
    await page.locator('li', { hasText: 'I look into it.' }).waitFor()
    const [{ conversation_id }] = (
      await call('listSessionMessages', { token: cleo.token, params: { session_id } })
    ).body
    const body = { conversation_id, content: 'Thank you.', client_message_id: 'cleo-1' }
    await call('postSessionMessage', { token: cleo.token, params: { session_id }, body })
    await page.locator('li', { hasText: 'Thank you.' }).waitFor()
    t.equal(await page.locator('li', { hasText: 'I look into it.' }).count(), 1)
    t.strictSame(pageErrors, [])
  })

  t.test('names a participant who joins later', async (t) => {
    const late = await service.addMember(organization_id, 'employee')
    const params = { session_id, user_id: late.user_id }
    await call('addParticipant', { token: admin.token, params, body: {} })
    await join(late, session_id)
    const [{ conversation_id }] = (
      await call('listSessionMessages', { token: cleo.token, params: { session_id } })
    ).body
    const body = { conversation_id, content: 'I am new here.', client_message_id: 'late-1' }
    await call('postSessionMessage', { token: late.token, params: { session_id }, body })
    const line = page.locator('li', { hasText: 'I am new here.' })
    await line.waitFor()
    t.not(await line.locator('b').innerText(), 'Former participant')
  })

  t.test('keeps its tokens when a refresh request fails to arrive', async (t) => {
    const expire = () =>
      page.evaluate(`sessionStorage.setItem('login', JSON.stringify({
        ...JSON.parse(sessionStorage.getItem('login')), access_token: 'expired' }))`)
    await expire()
    await page.route('**/auth/refresh', (route) => route.abort())
    await page.reload()
    await page.getByText('Failed to fetch').waitFor()
    t.match(await page.evaluate(stored), 'refresh_token')
    await page.unroute('**/auth/refresh')
    await page.reload()
    await page.getByRole('button', { name: 'Early shift (running)' }).waitFor()
    await expire()
  })

  t.test('asks for a new login when the login session has ended', async (t) => {
    const { body } = await call('login', { body: { email: ben.email, password: ben.password } })
    await call('logout', { token: body.access_token, body: { all: true } })
    await page.reload()
    await page.getByText('Could not validate credentials').waitFor()
    t.ok(await page.locator('#login').isVisible())
    t.equal(await page.evaluate(stored), null)
  })
})
