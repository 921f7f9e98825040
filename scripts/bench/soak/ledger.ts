/** One request of the honest organization. */
export interface Request {
  what: string
  sentAt: number
  ms: number
  /** Null when no answer came. */
  status: number | null
  /** The storm that was on when it was sent. */
  storm: string
  /** Whether it repeats a write that may have been done already. */
  isRepeat: boolean
}

/** A request that takes longer is unfair. */
export const slowMs = 2_000
/** Errors so long after a kill are excused. */
const graceMs = 3_000
const maxRequests = 500_000

/** Whether a write was not done. A repeated one that is there already was done. */
export const isRefused = ({ status, isRepeat }: Pick<Request, 'status' | 'isRepeat'>) =>
  status === null || (status >= 400 && !(isRepeat && status === 409))

/** Records the requests of the honest organization and its acknowledged writes. */
export class Ledger {
  readonly requests: Request[] = []
  readonly kills: number[] = []
  readonly #acknowledged = new Map<string, Set<string>>()

  note(request: Request): void {
    if (this.requests.length >= maxRequests) throw new Error('The soak has too many requests')
    this.requests.push(request)
  }

  acknowledge(kind: string, text: string): void {
    const texts = this.#acknowledged.get(kind) ?? new Set()
    this.#acknowledged.set(kind, texts.add(text))
  }

  countOf(kind: string): number {
    return this.#acknowledged.get(kind)?.size ?? 0
  }

  /** Returns the acknowledged writes that were not found again. */
  lost(kind: string, found: ReadonlySet<string>): string[] {
    return [...(this.#acknowledged.get(kind) ?? [])].filter((text) => !found.has(text))
  }

  /** Returns the requests with an error, without an answer or with a late one. */
  bad(): Request[] {
    return this.requests.filter((request) => isRefused(request) || request.ms > slowMs)
  }

  /** Returns the bad requests that no kill excuses. */
  unfair(): Request[] {
    const isExcused = ({ sentAt, ms }: Request) =>
      this.kills.some((at) => sentAt <= at + graceMs && sentAt + ms >= at)
    return this.bad().filter((request) => !isExcused(request))
  }
}
