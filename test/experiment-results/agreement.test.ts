import { ordinalAlpha } from '../../src/experiment-results/outcomes/agreement.js'
import { t } from '../helpers/file.js'

/** Computes alpha from a word for each unit. A digit is a rating, a dash is a missing rating. */
const alphaOf = (text: string) =>
  ordinalAlpha(text.split(' ').map((unit) => [...unit].map((one) => (one === '-' ? null : +one))))

t.test("ordinalAlpha agrees with Krippendorff's published values", async (t) => {
  // Computing Krippendorff's Alpha-Reliability (2011), four raters of twelve units: 0.815. More
  // digits, and the other values, come from his coincidence formula in NumPy 2.4.6.
  for (const [ratings, alpha] of [
    ['11-1 2232 3333 3333 2222 1234 4444 1121 2222 -555 --11 --3-', 0.8153875037548813],
    ['153 22- 455 1-3 334', 0.3455996453114609],
    ['15 24 42 51', -0.75],
    ['11 22 999', 1],
  ] as const) {
    const found = alphaOf(ratings)
    t.ok(found !== null && Math.abs(found - alpha) < 1e-12, `${found} is ${alpha}`)
  }
})

t.test('ordinalAlpha is null when there is nothing to compare', async (t) => {
  for (const ratings of ['', '3', '1- -2', '22 22', '22 2- -3']) t.equal(alphaOf(ratings), null)
})
