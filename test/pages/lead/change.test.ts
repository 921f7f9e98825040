import { launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { openDrills } from '../../helpers/drills.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const { admin, create, read } = await openDrills(service)
const scenario_name = 'crisis_response'

t.test(
  'A trainer can empty the start of a session, which is a draft again',
  { skip },
  async (t) => {
    const browser = await launchBrowser(t)
    const starts_at = '2999-01-01T00:00:00.000Z'
    const session = await create(admin, { scenario_name, starts_at })
    const address = `${leadAddress(service.url)}#/sessions/${session._id}`
    const { page, browserErrors } = await openAs(browser, address, admin)
    await page.getByText('Change the session').click()
    await page.getByLabel('Start automatically at').fill('')
    await press(page, 'Save')
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    t.match(await read(admin, session), { status: 'draft', starts_at: null })
    t.strictSame(browserErrors, [])
  },
)
