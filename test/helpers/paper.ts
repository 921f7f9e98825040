import type { Page } from 'playwright-core'
import { extractText, getDocumentProxy } from 'unpdf'

/** Prints a page of the browser on A4. Returns the text of each sheet, with single spaces. */
export async function printed(page: Page): Promise<string[]> {
  const pdf = await getDocumentProxy(new Uint8Array(await page.pdf({ format: 'A4' })))
  const { text } = await extractText(pdf)
  return text.map(plain)
}

/** A text with single spaces. */
export const plain = (text: string) => text.replace(/\s+/g, ' ')
