import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { launchBrowser, openDevice, skipWithoutBrowser as skip } from '../helpers/browser.js'
import { openDrills } from '../helpers/drills.js'
import { t } from '../helpers/file.js'
import { waitForHeading } from '../helpers/lead.js'
import { ageResetLink, newEmail, startWithMail } from '../helpers/letters.js'

const service = await startWithMail(t)
const { call, db, registerAdmin, address, linkTo } = service
const admin = await registerAdmin({ organization_name: 'Acme' })
const drills = await openDrills(service)

/** The addresses that browsers have asked for, and those that they came from. */
const asked: string[] = []
service.app.server.on('request', ({ url, headers }) => {
  asked.push(url ?? '', headers.referer ?? '')
})

/** Makes two links of each kind, whose page then has a heading. */
const kinds: Record<string, { heading: string; make: () => Promise<string> }> = {
  'an invitation': {
    heading: 'invites you',
    make: async () => {
      const { token, organization_id } = admin
      const body = { first_name: 'Tom', last_name: 'Herrera', email: newEmail() }
      await call('inviteMember', { token, params: { organization_id }, body })
      return linkTo(body.email)
    },
  },
  'a new password': {
    heading: 'Choose a new password',
    make: async () => {
      const { email } = await registerAdmin()
      await ageResetLink(db, email)
      await call('requestPasswordReset', { body: { email } })
      return linkTo(email)
    },
  },
  'an address to confirm': {
    heading: 'Confirm your e-mail address',
    make: async () => {
      const email = newEmail()
      const names = { organization_name: 'Acme', first_name: 'Ada', last_name: 'Okafor' }
      await call('register', { body: { email, password: randomUUID(), ...names } })
      return linkTo(email)
    },
  },
  'a place': {
    heading: 'Take part in a drill',
    make: async () => `${drills.address}#${(await drills.drill()).secret}`,
  },
}

t.test('A link with a secret', { skip }, async (t) => {
  const browser = await launchBrowser(t)
  for (const [kind, { heading, make }] of Object.entries(kinds)) {
    t.test(`to ${kind} leaves it in no address`, async (t) => {
      const links = [await make(), await make()]
      await checkLinks(t, browser, heading, links)
      const secrets = links.map((link) => new URL(link).hash.slice(1))
      t.ok(secrets.every((secret) => /^[\w-]{65}[AQgw]$/.test(secret)))
      const known = asked.filter((one) => secrets.some((secret) => one.includes(secret)))
      t.strictSame(known, [], 'the service is never asked for it')
    })
  }
  t.test('of an older letter still works', (t) => openOldLink(t, browser))
})

/** The addresses in the history of a tab. */
const historyOf = (page: Page): Promise<string[]> =>
  page.evaluate('navigation.entries().map(({ url }) => url)')

/** Opens one link after the other in one tab, and goes back. */
async function checkLinks(t: Test, browser: Browser, heading: string, links: string[]) {
  const { page } = await openDevice(browser)
  for (const link of links) {
    const bare = link.split('#')[0] ?? ''
    await page.goto(link)
    await page.waitForURL(bare)
    await waitForHeading(page, heading)
    await page.reload()
    await waitForHeading(page, heading)
    t.equal(page.url(), bare, 'a reload works without it')
  }
  const visited = await historyOf(page)
  t.ok(visited.length > 0)
  t.strictSame(
    visited.filter((one) => /[#?]/.test(one)),
    [],
    'the history has none',
  )
  await page.goBack()
  t.notMatch(page.url(), '#', 'the Back button leads to none')
}

async function openOldLink(t: Test, browser: Browser) {
  const { page } = await openDevice(browser)
  await page.goto((await kinds['an invitation']?.make())?.replace('#', '?token=') ?? '')
  await waitForHeading(page, 'invites you')
  t.strictSame(await historyOf(page), [`${address}/accept-invitation`])
}
