import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Schema } from '../../../src/contract.js'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { clickLink, leadAddress, openAs, waitForHeading } from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { call, url } = service
const { admin, drill } = await openDrills(service)
const { take, joinAs } = seatsOf(service)
const { token } = admin
const address = leadAddress(url)
const deskOf = (id: string) => `${address}#/sessions/${id}/run`

t.test('A trainer in the debriefing', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('can open what each role knew', (t) => openRoles(t, browser))
  t.test('can print the pack', (t) => printPack(t, browser))
  t.test('sees who has rated themselves, once it may be read', (t) => seeSelfRatings(t, browser))
})

type Role = Schema<'FacilitatorBriefing'>['roles'][number]

async function openRoles(t: Test, browser: Browser) {
  const { _id, params, link, to } = await drill()
  await joinAs(await take(link), 'Priya')
  await to('startSession')
  const { roles } = (await call('getBriefing', { token, params })).body.facilitator
  const roleOf = (key: string) => roles.find(({ role_key }: Role) => role_key === key)
  const { title, brief, private_information, goal } = roleOf('food_safety_officer')
  const { page } = await openAs(browser, deskOf(_id), admin)
  const secret = page.getByText(private_information)
  const open = page.locator('summary', { hasText: 'What each role knows' })
  const readAll = async (state: string) => {
    await open.waitFor()
    t.equal(await secret.isVisible(), false, `closed ${state}`)
    await open.click()
    await waitForHeading(page, `${title} · Priya`)
    await waitForHeading(page, `${roleOf('press_officer').title} · Jonas`)
    for (const text of [brief, private_information, goal]) {
      t.ok(await page.getByText(text).isVisible(), text)
    }
    await checkState(t, page, `what each role knows, ${state}`)
  }
  await readAll('at the desk')
  const [empty] = roles.filter(
    (one: Role) => !['food_safety_officer', 'press_officer'].includes(one.role_key),
  )
  t.equal(await page.getByText(empty.brief).count(), 0, 'roles without a player are left out')
  await to('endSession')
  await page.getByText('completed', { exact: true }).waitFor()
  await page.reload()
  await readAll('after the end')
}

async function printPack(t: Test, browser: Browser) {
  const { _id, to } = await drill()
  await to('startSession')
  await to('endSession')
  const { page } = await openAs(browser, `${address}#/sessions/${_id}`, admin)
  await clickLink(page, 'Print the pack')
  await page.getByText('Only you know this').first().waitFor()
  await page.getByRole('button', { name: 'Print', exact: true }).waitFor()
  t.equal(await page.getByRole('button', { name: /link/ }).count(), 0, 'no links can be made')
  await checkState(t, page, 'the pack after the end')

  const hr = await service.addMember(admin.organization_id, 'hr')
  const { page: second } = await openAs(browser, `${address}#/sessions/${_id}`, hr)
  await second.getByText('Only the file of an administrator has the private words.').waitFor()
}

/** Rates the team by all that is needed. */
async function rateTeam(session_id: string) {
  const params = { session_id }
  const { body } = await call('listSessionRatings', { token, params })
  const ratings = body.criteria
    .filter(({ scale }: Schema<'RubricItem'>) => scale.type !== 'text')
    .map(({ criterion, scale: { type, min } }: Schema<'RubricItem'>) => ({
      criterion,
      value: type === 'boolean' ? true : (min ?? 1),
    }))
  await call('rateSession', { token, params, body: { ratings } })
}

const team = (page: Page) => page.locator('.desk-people')

async function seeSelfRatings(t: Test, browser: Browser) {
  const { _id, params, link, jonas, to } = await drill()
  await joinAs(await take(link), 'Priya')
  await to('startSession')
  const { page } = await openAs(browser, deskOf(_id), admin)
  await team(page).getByText('Priya').first().waitFor()
  t.equal(await team(page).getByText('rated themselves').count(), 0, 'not before the end')
  await to('endSession')
  await team(page).getByText('After the end the service does not see who is still').waitFor()
  await team(page).getByText('You see how participants rated themselves when').waitFor()
  await checkState(t, page, 'the team after the end')
  const rating = { values: [], comment: 'We called too late.' }
  await call('rateOneself', { token: jonas.token, params, body: rating })
  await rateTeam(_id)
  await page.reload()
  await team(page).getByText('Have rated themselves: Jonas.').waitFor()
  await team(page).getByText('Have not rated themselves yet: Priya.').waitFor()
  await checkState(t, page, 'who has rated themselves')
}
