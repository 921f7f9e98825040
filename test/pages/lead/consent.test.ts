import { checkState, launchBrowser, skipWithoutBrowser as skip } from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { leadAddress, openAs, press, waitForHeading } from '../../helpers/lead.js'
import { startService } from '../../helpers/service.js'

const service = await startService(t)
const address = leadAddress(service.url)

t.test('The page of the consent text', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  const admin = await service.registerAdmin()
  const { page } = await openAs(browser, `${address}#/consent`, admin)
  await waitForHeading(page, 'Change the text')
  await page.getByText('Text of this service').waitFor()
  await page.getByLabel('What participants agree to').fill('We keep it for a year.')
  await press(page, 'Use this text from now on')
  await page.getByText('The new text is in use.').waitFor()
  await page.getByText('1 earlier text').click()
  await checkState(t, page, 'the consent text')
  const { body } = await service.call('listConsentTexts', {
    ...admin,
    params: { organization_id: admin.organization_id },
  })
  t.match(body[0], { version: 1, text: 'We keep it for a year.' })
})
