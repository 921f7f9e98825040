/** One request of the honest organization. */
export interface Request {
  what: string
  /** In milliseconds, by the clock that the kills are noted by. */
  sentAt: number
  ms: number
  /** Null where no answer came. */
  status: number | null
  /** Beside which storm it was sent. */
  storm: string
  /** Whether it says again what may have been taken already. */
  isAgain: boolean
}

/** A request that takes longer is unfair. */
export const slowMs = 2_000
/** After a kill an honest organization may meet errors for so long, and tries again. */
const graceMs = 3_000
/** The bound of what is kept. */
const mostRequests = 500_000

/** Whether it was not done; said again, it may be there already. */
export const isRefused = ({ status, isAgain }: Pick<Request, 'status' | 'isAgain'>) =>
  status === null || (status >= 400 && !(isAgain && status === 409))

/** What the honest organization met, and which of its writes were acknowledged. */
export class Ledger {
  readonly requests: Request[] = []
  readonly #acknowledged = new Map<string, Set<string>>()
  readonly #kills: number[] = []

  note(request: Request): void {
    if (this.requests.length >= mostRequests) throw new Error('The soak has met its bound')
    this.requests.push(request)
  }

  noteKill(at: number): void {
    this.#kills.push(at)
  }

  acknowledge(kind: string, text: string): void {
    const texts = this.#acknowledged.get(kind) ?? new Set()
    this.#acknowledged.set(kind, texts.add(text))
  }

  get kills(): number {
    return this.#kills.length
  }

  countOf(kind: string): number {
    return this.#acknowledged.get(kind)?.size ?? 0
  }

  /** What was acknowledged and is not found again. */
  lost(kind: string, found: ReadonlySet<string>): string[] {
    return [...(this.#acknowledged.get(kind) ?? [])].filter((text) => !found.has(text))
  }

  /** Requests with a wrong answer, none or a late one. */
  bad(): Request[] {
    return this.requests.filter((request) => isRefused(request) || request.ms > slowMs)
  }

  /** Those of them that no kill excuses. */
  unfair(): Request[] {
    return this.bad().filter((request) => !this.#isExcused(request))
  }

  #isExcused({ sentAt, ms }: Request): boolean {
    return this.#kills.some((at) => sentAt <= at + graceMs && sentAt + ms >= at)
  }
}
