import type { Page } from 'playwright-core'
import { until } from './until.js'

/** Records every text of the live regions. One may replace another before a test looks again. */
export const listen = (page: Page) =>
  page.evaluate(`globalThis.heard = []
    new MutationObserver(() => {
      for (const region of document.querySelectorAll('[aria-live]')) {
        if (region.textContent) heard.push(region.textContent)
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true })`)

export const heardOn = (page: Page): Promise<string[]> => page.evaluate('heard')

/** Waits until a text is announced. */
export const waitToHear = (page: Page, text: string | RegExp) =>
  until(async () => (await heardOn(page)).some((one) => one.search(text) >= 0))
