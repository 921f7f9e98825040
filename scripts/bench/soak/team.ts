import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../client.js'
import { type Account, cheapRead } from '../fairness/arena.js'
import { askOnce, type Shot } from '../fairness/flood.js'
import { makeCharacters, type RunningSession, runSession } from '../fairness/scenery.js'
import { isRefused, type Ledger } from './ledger.js'
import { type Write, writesOf } from './writes.js'

const readEveryMs = 100
const patienceMs = 15_000
const retryMs = 500
const mostTries = 60

/** The organization that reads and writes beside the storms. */
export class Team {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 20 })
  readonly #url: string
  readonly #ledger: Ledger
  readonly account: Account
  readonly session: RunningSession
  readonly character_id: string
  storm = 'none'

  private constructor(
    url: string,
    ledger: Ledger,
    team: { account: Account; session: RunningSession; character_id: string },
  ) {
    this.#url = url
    this.#ledger = ledger
    this.account = team.account
    this.session = team.session
    this.character_id = team.character_id
  }

  /** A team with a session that runs until the end of the soak. */
  static async gather(url: string, account: Account, ledger: Ledger): Promise<Team> {
    const [character] = await makeCharacters({ url, account }, 6)
    const fields = { scenario_name: 'hr_workforce', mode: 'external' }
    const session = await runSession({ url, account }, fields)
    return new Team(url, ledger, { account, session, character_id: character?._id ?? '' })
  }

  /** Reads and writes until the signal comes. */
  async work(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#read(signal),
      ...writesOf(this).map((write) => this.#write(write, signal)),
    ])
    this.#agent.destroy()
  }

  /** Does not wait for an answer before it sends the next request. */
  async #read(signal: AbortSignal): Promise<void> {
    const { token } = this.account
    const reads = [
      cheapRead(this.account),
      getRequest(token, '/api/v1/auth/me'),
      getRequest(token, `/api/v1/simulation/sessions/${this.session._id}`),
    ]
    const pending = new Set<Promise<unknown>>()
    for (let number = 0; !signal.aborted; number++) {
      const asked = this.#ask('read', reads[number % reads.length] as Shot)
      pending.add(asked)
      void asked.finally(() => pending.delete(asked))
      await sleep(readEveryMs)
    }
    await Promise.all(pending)
  }

  /** Writes one after the other, each until it is acknowledged. */
  async #write({ kind, everyMs, next }: Write, signal: AbortSignal): Promise<void> {
    for (let number = 1; !signal.aborted; number++) {
      const { text, shot } = next(number)
      const sentAt = performance.now()
      if (await this.#insist(kind, shot)) this.#ledger.acknowledge(kind, text)
      await sleep(Math.max(0, sentAt + everyMs - performance.now()))
    }
  }

  /** Tries again as long as the service cannot answer; returns whether it was acknowledged. */
  async #insist(what: string, shot: Shot): Promise<boolean> {
    for (let attempt = 0; attempt < mostTries; attempt++) {
      const isAgain = attempt > 0
      const status = await this.#ask(what, shot, isAgain)
      if (status !== null && status < 500) return !isRefused({ status, isAgain })
      await sleep(retryMs)
    }
    return false
  }

  async #ask(what: string, shot: Shot, isAgain = false): Promise<number | null> {
    const { storm } = this
    const sentAt = performance.now()
    const status = await askOnce(
      this.#url,
      shot,
      this.#agent,
      AbortSignal.timeout(patienceMs),
    ).then(
      (reply) => reply.status,
      () => null,
    )
    this.#ledger.note({ what, sentAt, ms: performance.now() - sentAt, status, storm, isAgain })
    return status
  }
}
