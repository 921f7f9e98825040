import { launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press, waitForHeading } from '../../helpers/lead.js'
import { seatsOf } from '../../helpers/seats.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { admin, change, create, read } = await openDrills(service)
const { createLinks, take, joinAs } = seatsOf(service)
const scenario_name = 'crisis_response'
const browser = skip ? undefined : await launchBrowser(t)

async function openSession(fields: object, ...steps: ('startSession' | 'endSession')[]) {
  if (!browser) throw new Error('There is no browser')
  const session = await create(admin, { scenario_name, ...fields })
  for (const step of steps) await change(step, admin, session)
  const address = `${leadAddress(service.url)}#/sessions/${session._id}`
  return { session, ...(await openAs(browser, address, admin)) }
}

t.test(
  'A trainer can empty the start of a session, which is a draft again',
  { skip },
  async (t) => {
    const starts_at = '2999-01-01T00:00:00.000Z'
    const { session, page, browserErrors } = await openSession({ starts_at })
    await page.getByText('Change the session').click()
    const start = page.getByLabel('Start automatically at')
    await page.getByLabel('Name of the session').fill('Late shift')
    await page.reload()
    await page.getByText('Change the session').click()
    t.equal(await page.getByLabel('Name of the session').inputValue(), 'Late shift', 'it is kept')
    await start.fill(new Date(Date.now() - 7_200_000).toISOString().slice(0, 16))
    await press(page, 'Save')
    const dialog = page.getByRole('dialog', { name: 'Start in the past?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    t.match(await read(admin, session), { status: 'scheduled', starts_at }, 'nothing is saved')
    await start.fill('')
    await press(page, 'Save')
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    t.match(await read(admin, session), { status: 'draft', starts_at: null })
    t.strictSame(browserErrors, [])
  },
)

t.test(
  'A trainer can delete a session that has ended, and is told first what goes with it',
  { skip },
  async (t) => {
    const { session, page, browserErrors } = await openSession({}, 'startSession', 'endSession')
    await press(page, 'Delete')
    const dialog = page.getByRole('dialog')
    t.match(await dialog.innerText(), /ratings and guests are deleted\. Save first/)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await waitForHeading(page, 'Sessions')
    t.match(await read(admin, session), { code: 'session_not_found' })
    t.strictSame(browserErrors, [])
  },
)

t.test('A trainer can add one place after the other', { skip }, async (t) => {
  const { session, page } = await openSession({})
  await page.getByText('Add a place', { exact: true }).click()
  const role = page.getByLabel('Role')
  const places = page.getByRole('button', { name: /^Remove/ })
  const keys: string[] = []
  for (const index of [0, 1]) {
    keys.push(await role.inputValue())
    await press(page, /^Add$/)
    await places.nth(index).waitFor()
  }
  const params = { session_id: session._id }
  const { body } = await service.call('listParticipants', { token: admin.token, params })
  t.strictSame(body.map((one: { role_key: string }) => one.role_key).sort(), keys.sort())
  t.equal(new Set(keys).size, 2, 'each place has a role of its own')
})

t.test('A trainer reads after the end who took part', { skip }, async (t) => {
  const { session, page } = await openSession({})
  const guests = [{ guest: true }, { guest: true }]
  const [link] = await createLinks(admin, session._id, guests)
  await joinAs(await take(link), 'Priya')
  for (const step of ['startSession', 'endSession'] as const) await change(step, admin, session)
  await page.reload()
  const places = page.getByRole('listitem').filter({ hasText: /took part|did not take part/ })
  await places.nth(1).waitFor()
  t.equal(await places.filter({ hasText: 'Priya' }).filter({ hasText: 'took part' }).count(), 1)
  t.equal(await places.filter({ hasText: 'did not take part' }).count(), 1)
})
