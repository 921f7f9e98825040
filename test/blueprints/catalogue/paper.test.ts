import { participantPack, trainerPack } from '../../../scripts/catalogue/print/print-pack.js'
import { loadCatalogue } from '../../../src/blueprints/catalogue/load.js'
import {
  launchBrowser,
  openDevice,
  overflowOf,
  skipWithoutBrowser as skip,
} from '../../helpers/browser.js'
import { t } from '../../helpers/file.js'
import { packOf } from '../../helpers/packs.js'

/** The sheets that take one page each. */
const single = '.situation, .card, .document, .after-action'

t.test('A printed pack', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  const catalogue = loadCatalogue()
  // As wide as the text on A4, the narrower of the two.
  const { page, browserErrors } = await openDevice(browser, {
    viewport: { width: 672, height: 900 },
  })
  await page.emulateMedia({ media: 'print' })

  const pagesOn = async (format: 'A4' | 'Letter') => {
    const pdf = await page.pdf({ format })
    return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length
  }

  for (const scenario of catalogue.scenarios.values()) {
    t.test(
      `of ${scenario.scenario_type} has one page for each card, on A4 and Letter`,
      async (t) => {
        const pack = packOf(catalogue, scenario)
        for (const content of [trainerPack(pack), participantPack(pack)]) {
          await page.setContent(content)
          t.ok((await overflowOf(page)) <= 0, 'nothing is wider than the paper')
          const sheets = await page.locator(single).count()
          await page.addStyleTag({ content: `section:not(${single}) { display: none }` })
          t.equal(await pagesOn('A4'), sheets, `${sheets} sheets on A4`)
          t.equal(await pagesOn('Letter'), sheets, `${sheets} sheets on Letter`)
        }
      },
    )
  }

  t.test('causes no errors', async (t) => t.strictSame(browserErrors, []))
})
