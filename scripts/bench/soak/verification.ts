import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../accounts.js'
import { type HttpRequest, send } from '../client.js'
import { exportSession } from '../fairness/scenery.js'
import { exportAuditEvents, listUsers, verifyAuditTrail } from '../requests.js'
import type { Team } from './team.js'

const maxTries = 30
const retryMs = 2_000

/** Looks for the acknowledged writes of the team, and counts the lost ones of each kind. */
export async function findLost({ url, account, session, ledger }: Team) {
  const messages = await patiently(() => readLines(url, exportSession(account, session)))
  const events = await patiently(() => readLines(url, exportAuditEvents(account)))
  const { body } = await patiently(() => send(url, listUsers(account), 200))
  const users = body as { email: string }[]
  // The trail also has the brandings that were changed again.
  const welcomes = events.map((event) => Object(event.metadata).changes?.welcome_message?.to)
  const found: Record<string, Set<string>> = {
    branding: new Set(welcomes),
    message: new Set(messages.map(({ content }) => `${content}`)),
    invitation: new Set(users.map(({ email }) => email)),
  }
  return Object.entries(found).map(([kind, texts]) => ({
    kind,
    acknowledged: ledger.countOf(kind),
    lost: ledger.lost(kind, texts).length,
  }))
}

async function readLines(url: string, { path, headers }: HttpRequest) {
  const response = await fetch(url + path, { headers })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  const lines = (await response.text()).trimEnd().split('\n')
  return lines.map((line): Record<string, unknown> => JSON.parse(line))
}

/** Counts the organizations whose trail is not valid, or cannot be verified. */
export async function countInvalid(url: string, accounts: Account[]): Promise<number> {
  let invalid = 0
  for (const account of accounts) {
    const verified = patiently(() => send(url, verifyAuditTrail(account), 200))
    const isValid = await verified.then(
      ({ body }) => Object(body).valid,
      () => false,
    )
    if (!isValid) invalid++
  }
  return invalid
}

/** Tries again, because a process may just have been killed, or be busy with what storms left. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxTries) throw error
      await sleep(retryMs)
    }
  }
}
