import { createApiOn, type Send } from './api.js'
import { ApiError, readError } from './api-error.js'
import { createLogin, type LoginOptions, type Tokens } from './login.js'

export interface RequestOptions extends LoginOptions {
  /** Where the service is. A page of the service itself needs none. */
  baseUrl?: string | undefined
  fetch?: Send | undefined
  /** The key of a bot, instead of a login. */
  apiKey?: string | undefined
}

/** A request that waits for a refresh must not wait for ever. */
const refreshTimeout = 15_000

/** The operations of the contract, and the login as which they are called. */
export function createRequests({ baseUrl = '', apiKey, ...options }: RequestOptions) {
  const fetch = options.fetch ?? ((request) => globalThis.fetch(request))
  const login = createLogin(options, exchange)

  async function send(request: Request): Promise<Response> {
    const response = await fetch(request)
    if (!response.ok) throw await readError(response)
    return response
  }

  async function exchange(refresh_token: string): Promise<Tokens> {
    const init = { body: { refresh_token }, signal: AbortSignal.timeout(refreshTimeout) }
    const { data } = await createApiOn(baseUrl, send).POST('/api/v1/auth/refresh', init)
    return data
  }

  /** Sends a request again only if its access token was refused, because then nothing was done. */
  async function sendSigned(request: Request): Promise<Response> {
    const token = login.token()
    const spare = request.clone()
    try {
      return await send(sign(request, token))
    } catch (error) {
      const isRefused = error instanceof ApiError && error.code === 'invalid_token'
      if (!token || !isRefused) throw error
      await login.renew(token)
      return send(sign(spare, login.token()))
    }
  }

  function sign(request: Request, token: string | null): Request {
    if (apiKey) request.headers.set('x-api-key', apiKey)
    else if (token) request.headers.set('authorization', `Bearer ${token}`)
    return request
  }

  return { api: createApiOn(baseUrl, sendSigned), login }
}
