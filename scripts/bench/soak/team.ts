import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../accounts.js'
import { getRequest, type HttpRequest, jsonRequest } from '../client.js'
import { temporaryEmail } from '../database/temporary.js'
import {
  makeCharacters,
  postMessage,
  type RunningSession,
  runSession,
} from '../fairness/scenery.js'
import { askOnce } from '../fairness/storm.js'
import { getBranding } from '../requests.js'
import { isRefused, type Ledger } from './ledger.js'

const readEveryMs = 100
const patienceMs = 15_000
const retryMs = 500
const maxTries = 60

/** The organization that reads and writes beside the storms. */
export interface Team {
  url: string
  account: Account
  ledger: Ledger
  session: RunningSession
  character_id: string
  /** The storm that is on. */
  storm: string
}

/** Makes a team with a session that runs until the end of the soak. */
export async function makeTeam(url: string, account: Account, ledger: Ledger): Promise<Team> {
  const [character] = await makeCharacters({ url, account }, 6)
  const fields = { scenario_name: 'hr_workforce', mode: 'external' }
  const session = await runSession({ url, account }, fields)
  return { url, account, ledger, session, character_id: character?._id ?? '', storm: 'none' }
}

const agent = new Agent({ keepAlive: true, maxSockets: 20 })

/** Reads and writes until the signal comes. */
export async function work(team: Team, signal: AbortSignal): Promise<void> {
  await Promise.all([read(team, signal), ...writesOf(team).map((one) => write(team, one, signal))])
  agent.destroy()
}

/** Reads at a steady rate, whether or not earlier reads have been answered. */
async function read(team: Team, signal: AbortSignal): Promise<void> {
  const { token } = team.account
  const reads = [
    getBranding(team.account),
    getRequest(token, '/api/v1/auth/me'),
    getRequest(token, `/api/v1/simulation/sessions/${team.session._id}`),
  ]
  const pending = new Set<Promise<unknown>>()
  for (let number = 0; !signal.aborted; number++) {
    const asked = ask(team, 'read', reads[number % reads.length] as HttpRequest)
    pending.add(asked)
    void asked.finally(() => pending.delete(asked))
    await sleep(readEveryMs)
  }
  await Promise.all(pending)
}

interface Write {
  kind: string
  everyMs: number
  /** Makes the next request, with the text by which the write is found again. */
  next(number: number): [text: string, request: HttpRequest]
}

function writesOf({ account, session, character_id }: Team): Write[] {
  const { organization_id, token } = account
  const branding: Write['next'] = (number) => {
    const text = `Welcome ${number}`
    const { path } = getBranding(account)
    return [text, jsonRequest('PUT', path, { welcome_message: text }, token)]
  }
  const message: Write['next'] = (number) => {
    const text = `Message ${number}`
    const content = { client_message_id: text, content: text }
    const posted = { as_character_id: character_id, ...content }
    return [text, postMessage(account, session, posted)]
  }
  const invitation: Write['next'] = () => {
    const email = temporaryEmail()
    const path = `/api/v1/users/invite/${organization_id}`
    return [email, jsonRequest('POST', path, { first_name: 'Mei', last_name: 'Tan', email }, token)]
  }
  return [
    { kind: 'branding', everyMs: 1_000, next: branding },
    { kind: 'message', everyMs: 2_000, next: message },
    { kind: 'invitation', everyMs: 3_000, next: invitation },
  ]
}

async function write(team: Team, { kind, everyMs, next }: Write, signal: AbortSignal) {
  for (let number = 1; !signal.aborted; number++) {
    const [text, request] = next(number)
    const sentAt = performance.now()
    if (await insist(team, kind, request)) team.ledger.acknowledge(kind, text)
    await sleep(Math.max(0, sentAt + everyMs - performance.now()))
  }
}

/** Repeats a write while the service cannot answer. Returns whether it was acknowledged. */
async function insist(team: Team, kind: string, request: HttpRequest): Promise<boolean> {
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const isRepeat = attempt > 0
    const status = await ask(team, kind, request, isRepeat)
    if (status !== null && status < 500) return !isRefused({ status, isRepeat })
    await sleep(retryMs)
  }
  return false
}

async function ask(team: Team, what: string, request: HttpRequest, isRepeat = false) {
  const { url, ledger, storm } = team
  const sentAt = performance.now()
  const signal = AbortSignal.timeout(patienceMs)
  const reply = await askOnce(url, request, agent, signal).catch(() => null)
  const status = reply?.status ?? null
  ledger.note({ what, sentAt, ms: performance.now() - sentAt, status, storm, isRepeat })
  return status
}
