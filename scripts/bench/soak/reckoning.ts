import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest, send } from '../client.js'
import type { Account } from '../fairness/arena.js'
import type { LoadRequest } from '../load.js'
import { exportAuditEvents, listUsers, verifyAuditTrail } from '../requests.js'
import type { Ledger } from './ledger.js'
import type { Team } from './team.js'

const tries = 30
const retryMs = 2_000

/** The acknowledged writes of the team that are not there, of each kind. */
export async function findLost(url: string, team: Team, ledger: Ledger) {
  const { account, session } = team
  const exported = getRequest(account.token, `/api/v1/simulation/sessions/${session._id}/export`)
  const said = (await patiently(() => readLines(url, exported))).map(({ content }) => `${content}`)
  const events = await patiently(() => readLines(url, exportAuditEvents(account)))
  const { body } = await patiently(() => send(url, listUsers(account), 200))
  const found = {
    branding: new Set(events.flatMap(welcomeOf)),
    message: new Set(said),
    invitation: new Set((body as { email: string }[]).map(({ email }) => email)),
  }
  return Object.entries(found).map(([kind, texts]) => ({
    kind,
    acknowledged: ledger.countOf(kind),
    lost: ledger.lost(kind, texts).length,
  }))
}

type Line = Record<string, unknown>

async function readLines(url: string, { path, headers }: LoadRequest): Promise<Line[]> {
  const response = await fetch(url + path, { headers })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  const lines = (await response.text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

interface Changes {
  metadata?: { changes?: { welcome_message?: { to?: string } } }
}

/** Each change of a branding is in the trail, so that an older one is found as well. */
const welcomeOf = (line: Line) => (line as Changes).metadata?.changes?.welcome_message?.to ?? []

/** How many of the organizations have a trail that is not valid, or cannot be verified. */
export async function countInvalid(url: string, accounts: Account[]): Promise<number> {
  let invalid = 0
  for (const account of accounts) if (!(await isValid(url, account))) invalid++
  return invalid
}

async function isValid(url: string, account: Account): Promise<boolean> {
  const verify = () => send(url, verifyAuditTrail(account), 200)
  return patiently(verify).then(
    ({ body }) => (body as { valid: boolean }).valid,
    () => false,
  )
}

/** Tries again: a connection to a killed process, or what the storms left, may keep it from working. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === tries) throw error
      await sleep(retryMs)
    }
  }
}
