import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { admin, becomes, change, create, read, miss } = await openDrills(service)
const scenario_name = 'crisis_response'
const browser = skip ? undefined : await launchBrowser(t)

async function openAt(fields: object, part: string, isPaused = false) {
  if (!browser) throw new Error('There is no browser')
  const session = await create(admin, { scenario_name, ...fields })
  if (isPaused) {
    await change('startSession', admin, session)
    await miss(session, 1)
    await change('pauseSession', admin, session)
  }
  const address = `${leadAddress(service.url)}#/sessions/${session._id}${part}`
  return { session, ...(await openAs(browser, address, admin)) }
}

t.test('A trainer goes on at another pace after a pause', { skip }, async (t) => {
  const { session, page, browserErrors } = await openAt(
    { speed: 10, ends_after_minutes: 70 },
    '/run',
    true,
  )
  const pace = page.getByLabel('Pace from now on')
  await pace.getByText(/^3 times as fast, (19|20)(\.\d)? minutes$/).waitFor({ state: 'attached' })
  t.equal(await pace.inputValue(), '10')
  await pace.selectOption('3')
  await page
    .getByText('Where 3 minutes are planned for an answer, people then have 60 seconds.')
    .waitFor()
  await checkState(t, page, 'a desk in a pause')
  t.equal((await read(admin, session)).speed, 10, 'nothing changes before the drill goes on')
  await press(page, 'Go on')
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  t.match(await becomes(admin, session, 'running'), { speed: 3 })
  await press(page, 'Pause')
  t.equal(await pace.inputValue(), '3')
  await press(page, 'Go on')
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const { speed, deviations } = await read(admin, session)
  t.match([speed, deviations.length], [3, 1], 'the same pace is no change')
  t.strictSame(browserErrors, [])
})

t.test('A trainer types a pace that the list does not have', { skip }, async (t) => {
  const { session, page, browserErrors } = await openAt({}, '')
  await page.getByText('Change the session').click()
  await page.getByLabel('Pace', { exact: true }).selectOption('Another pace')
  const times = page.getByLabel('How many times as fast')
  await times.fill('3601')
  await press(page, 'Save')
  await times.and(page.locator('[aria-invalid=true]')).waitFor()
  await times.fill('4')
  await press(page, 'Save')
  await page.getByText('4 times as fast', { exact: true }).waitFor()
  t.equal((await read(admin, session)).speed, 4)
  t.strictSame(browserErrors, [])
})
