import { type Browser, chromium } from 'playwright-core'

/** Debian's browser. */
const executablePath = '/usr/bin/chromium'

interface Viewer {
  url: string
  session_id: string
  user_id: string
  token: string
}

export interface Screen {
  /** Returns when each message was first on the page, in milliseconds since 1970. */
  seen(): Promise<{ content: string; at: number }[]>
  /** Waits until the channel shows this number of messages. */
  has(messages: number): Promise<void>
  /** Types a text into the box for messages. Returns for each letter how long it took to draw it, in milliseconds. */
  type(text: string): Promise<number[]>
}

export async function withBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const args = ['--disable-gpu', '--disable-quic', '--no-sandbox']
  const browser = await chromium.launch({ executablePath, args })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}

/** Notes when a text that looks like an id is first on the page. */
const watch = `
  const seen = {}
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const { textContent } of addedNodes) {
        for (const [id] of textContent.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)) {
          seen[id] ??= Date.now()
        }
      }
    }
  }).observe(document, { childList: true, subtree: true })
  window.seen = seen`

/** Notes the time from each key to the end of the frame that shows its letter. */
const watchKeys = `
  window.times = []
  addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() =>
    setTimeout(() => times.push(performance.now() - timeStamp))), true)`

/** Opens a session as one of its participants sees it. */
export async function openScreen(
  browser: Browser,
  { url, session_id, user_id, token }: Viewer,
): Promise<Screen> {
  const page = await (await browser.newContext()).newPage()
  const stored = {
    'play tokens': { access_token: token, refresh_token: '' },
    place: { session_id, user_id, seat_token: null },
  }
  await page.addInitScript(`
    for (const [name, value] of Object.entries(${JSON.stringify(stored)})) {
      sessionStorage.setItem(name, JSON.stringify(value))
    }
    ${watch}`)
  await page.goto(`${url}/play`)
  await page.getByRole('button', { name: 'I have read it' }).click()
  await page.getByRole('button', { name: '# home' }).click()
  await page.getByRole('textbox').waitFor()
  return {
    seen: async () => {
      const seen: Record<string, number> = await page.evaluate('seen')
      return Object.entries(seen).map(([content, at]) => ({ content, at }))
    },
    has: async (messages) => {
      await page
        .locator('.conversation .message')
        .nth(messages - 1)
        .waitFor({ timeout: 120_000 })
    },
    type: async (text) => {
      await page.getByRole('textbox').focus()
      await page.evaluate(watchKeys)
      await page.keyboard.type(text, { delay: 30 })
      return page.evaluate('times')
    },
  }
}
