import type { components } from './contract-types.js'

/** A field of a request with what is wrong with it. */
export type Fault = components['schemas']['ValidationErrorItem']

type Fields = Partial<Omit<components['schemas']['ErrorResponse'], 'detail'>>
type Body = Fields & { detail?: string | Fault[] }

/** An answer of the service that is an error. A broken connection is the `TypeError` of `fetch` instead. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** What is wrong, to branch on. A 422 has `validation_failed`, an error of a proxy `http_error`. */
  readonly code: string
  /** What is wrong, in a sentence. */
  readonly detail: string
  /** What is wrong, field by field. Empty unless the status is 422. */
  readonly faults: Fault[]
  /** The other fields of the error, such as `current_status`. */
  readonly body: Fields
  /** Finds the request in the log of the service. */
  readonly requestId: string | null
  /** How many seconds to wait before the next try. */
  readonly retryAfter: number | null

  constructor({ status, headers }: Response, { detail = '', ...body }: Body) {
    const isList = Array.isArray(detail)
    const sentence = isList ? detail.map(sentenceOf).join('; ') : detail
    const code = body.code ?? (isList ? 'validation_failed' : 'http_error')
    super(`${status} ${code}: ${sentence}`)
    this.status = status
    this.code = code
    this.detail = sentence
    this.faults = isList ? detail : []
    this.body = body
    this.requestId = headers.get('x-request-id')
    this.retryAfter = Number(headers.get('retry-after')) || null
  }
}

const sentenceOf = ({ loc, msg }: Fault) => `${loc.join('.')}: ${msg}`

export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text()
  const isOurs = response.headers.get('content-type')?.startsWith('application/json')
  return new ApiError(response, isOurs ? JSON.parse(text) : { detail: text })
}

/** Whether the same request would fail again. Otherwise the service, or the way to it, is away. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && ![408, 429].includes(error.status)
