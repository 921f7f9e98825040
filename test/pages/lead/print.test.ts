import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import type { Schema } from '../../../src/contract.js'
import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDecisions, said, storyWith } from '../../helpers/decisions.js'
import { t } from '../../helpers/file.js'
import { clickLink, leadAddress, openAs, waitForHeading } from '../../helpers/lead.js'
import { plain, printed } from '../../helpers/paper.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { app, call, url } = service
const { admin, addScenario, create, change } = await openDecisions(service)
const { createLinks, take, joinAs } = seatsOf(service)
const { token } = admin
const address = leadAddress(url)
const scenario_name = 'hr_workforce'
const scenario = app.catalogue.scenarios.get(scenario_name)
/** More than the page draws at first. */
const calls = Array.from({ length: 160 }, (_, i) => `Call number ${i + 1}.`)
const form = {
  title: 'Form on ties',
  text: 'Tie?\n[x] none\n[ ] yes\n\nSeat | Place\n25 | front\n26 | back',
}
const controls = /Copy the link|Save so far|Set it up|Show what would|Reply|earlier|Print/

t.test('What a trainer prints', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  t.test('of the pack has each sheet on pages of its own', (t) => printPack(t, browser))
  t.test('of a scenario has all that its page says', (t) => printScenario(t, browser))
  t.test('of what happened has every message', (t) => printHappened(t, browser))
  t.test('of the ratings says which session they are of', (t) => printRatings(t, browser))
})

async function printPack(t: Test, browser: Browser) {
  const { participant_roles: roles = [], artefacts = [] } = scenario ?? {}
  const starts_at = '2030-05-06T07:08:00Z'
  const { _id } = await create(admin, { scenario_name, name: 'Team North', starts_at })
  const seats = roles.map(({ role_key }) => ({ guest: true, role_key }))
  await createLinks(admin, _id, seats)
  const { page } = await openAs(browser, `${address}#/sessions/${_id}/pack`, admin)
  await waitForHeading(page, 'For trainers and observers only')
  await page.getByRole('columnheader', { name: 'places asked for' }).waitFor()
  await checkState(t, page, 'the pack with a table')
  const sheets = await printed(page)
  const [first = ''] = sheets
  t.match(first, /^HR workforce Team North · starts on May 6, 2030.* · printed on /)
  const isOn = (text: string) =>
    sheets.flatMap((sheet, i) => (sheet.includes(plain(text)) ? i : []))
  const secrets = roles.map(({ private_information }) => isOn(private_information.slice(0, 60)))
  const places = roles.map((_, i) => [secrets[0]?.[0] ?? -1].map((from) => from + i))
  t.strictSame(secrets, places, 'what one role knows is on one page, which no other role has')
  const documents = artefacts.map(({ title }) =>
    isOn(title).filter((i) => sheets[i]?.startsWith(plain(title))),
  )
  const from = (secrets.at(-1)?.[0] ?? 0) + 1
  t.strictSame(
    documents,
    artefacts.map((_, i) => [from + i]),
    'the documents follow on their own',
  )
  t.match(sheets[from + artefacts.length], /^For trainers and observers only/)
  t.notMatch(sheets.join('\n'), controls)
}

async function printScenario(t: Test, browser: Browser) {
  const { page } = await openAs(browser, `${address}#/scenarios/${scenario_name}`, admin)
  await waitForHeading(page, 'What people learn')
  const text = (await printed(page)).join(' ')
  t.match(text, /^HR workforce printed on /)
  const { situation, beats = [], participant_roles = [] } = scenario ?? {}
  const [place = ''] = situation?.place.split('\n') ?? []
  const wanted = [
    place,
    ...beats.map((one) => one.learning_goal),
    ...participant_roles.map(({ brief }) => brief),
  ]
  for (const one of wanted) t.ok(text.includes(plain(one)), one)
  t.notMatch(text, /Set up this scenario/)
  t.notMatch(text, controls)
}

async function printHappened(t: Test, browser: Browser) {
  const story = (character_id: string) => [
    ...storyWith()(character_id).slice(0, 1),
    said(0, 'Here is the form.', { artefact: form }),
    ...calls.map((content) => said(0, content)),
  ]
  await addScenario(admin, story, { scenario_name: 'harbour_fire' })
  const { _id } = await create(admin, { scenario_name: 'harbour_fire', name: 'Team East' })
  const [link] = await createLinks(admin, _id, [{ guest: true }])
  await joinAs(await take(link), 'Priya')
  await change('startSession', admin, { _id })
  const { page } = await openAs(browser, `${address}#/sessions/${_id}/run`, admin)
  await page.getByText('Call number 160.').waitFor()
  await change('endSession', admin, { _id })
  await page.getByText('completed', { exact: true }).waitFor()
  const [first = '', ...others] = await printed(page)
  t.match(first, /^Team East Harbour fire · started on .* · printed on /)
  const text = [first, ...others].join(' ')
  t.strictSame(text.match(/Call number \d+\./g), calls, 'in their order')
  t.match(text, /Form on ties Tie\? ☑ none ☐ yes Seat Place 25 front 26 back/)
  t.notMatch(text, /Run sheet|Who takes part/)
  t.notMatch(text, controls)
  // After the print the page draws only the latest again.
  await page.getByRole('button', { name: /earlier/ }).click()
  await page.getByText('Form on ties').click()
  await page.getByRole('columnheader', { name: 'Seat' }).waitFor()
  await page.locator('.boxed', { hasText: 'Not ticked: yes' }).waitFor()
  await checkState(t, page, 'a document with boxes and a table')
  await page.goto(`${address}#/sessions`)
  const row = page.getByRole('listitem').filter({ hasText: 'Team East' })
  await row.getByText('Harbour fire').waitFor()
  const known = page.getByRole('listitem').filter({ hasText: 'Team North' })
  await known.getByText('HR workforce').waitFor()
}

async function printRatings(t: Test, browser: Browser) {
  const { _id } = await create(admin, { scenario_name, name: 'Team West', mode: 'external' })
  const [link] = await createLinks(admin, _id, [{ guest: true }])
  await joinAs(await take(link), 'Priya')
  await change('startSession', admin, { _id })
  await change('endSession', admin, { _id })
  const { page } = await openAs(browser, `${address}#/sessions/${_id}`, admin)
  await clickLink(page, 'Rate')
  await page.getByRole('button', { name: 'Save so far' }).waitFor()
  const params = { session_id: _id }
  const { body } = await call('listSessionRatings', { token, params })
  const criteria = body.criteria.map(({ criterion }: Schema<'RubricItem'>) => criterion)
  const begin = /^Rate Team West · HR workforce · started on .* · printed on /
  const given = async () => {
    const text = (await printed(page)).join(' ')
    t.match(text, begin)
    for (const criterion of criteria) t.ok(text.includes(plain(criterion)), criterion)
    t.notMatch(text, controls)
  }
  await given()
  const ratings = body.criteria
    .filter(({ scale }: Schema<'RubricItem'>) => scale.type !== 'text')
    .map(({ criterion, scale: { type, min } }: Schema<'RubricItem'>) => ({
      criterion,
      value: type === 'boolean' ? true : (min ?? 1),
    }))
  await call('rateSession', { token, params, body: { ratings } })
  await page.reload()
  await page.getByText('You are the only rater so far.').waitFor()
  await given()
}
