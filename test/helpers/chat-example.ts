import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { TAP } from 'tap'

/** The example of a chat page, as a file. */
export const chatFile = resolve('docs/examples/chat.html')

/** Serves the example from a web server of its own. Returns the origin of the page. */
export async function serveChat(t: Pick<TAP, 'teardown'>): Promise<string> {
  const web = createServer((_, response) => response.end(readFileSync(chatFile)))
  await once(web.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => web.close())
  return `http://127.0.0.1:${(web.address() as AddressInfo).port}`
}
