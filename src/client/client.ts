import type { Api } from './api.js'
import { ApiError, isRefusal } from './api-error.js'
import { type StreamTiming, tryNow, usualTiming } from './backoff.js'
import type { Open } from './connection.js'
import type { components } from './contract-types.js'
import {
  type OrganizationEvent,
  readEvents,
  type SessionEvent,
  type StreamOptions,
} from './events.js'
import type { Tokens } from './login.js'
import { createRequests, type RequestOptions } from './requests.js'

export type { Api } from './api.js'
export type { Fault } from './api-error.js'
export type { StreamTiming } from './backoff.js'
export type { OrganizationEvent, SessionEvent, StreamOptions, StreamState } from './events.js'
export type { Tokens } from './login.js'
export { ApiError, isRefusal, tryNow }

/** A schema of the contract, such as `Schema<'SessionMessage'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export interface ClientOptions extends RequestOptions {
  timing?: Partial<StreamTiming> | undefined
}

export interface Client {
  api: Api
  /** Begins or, with null, forgets a login. Calls no `onTokens`. */
  setTokens: (tokens: Tokens | null) => void
  /** The events of a session, those after the message with the `seq` of `after`. */
  streamSessionEvents: (
    session_id: string,
    options?: StreamOptions & { after?: number | undefined },
  ) => AsyncGenerator<SessionEvent>
  /** The events of all running sessions of an organization. */
  streamEvents: (
    options?: StreamOptions & { organization_id?: string | undefined },
  ) => AsyncGenerator<OrganizationEvent>
}

export function createClient(options: ClientOptions = {}): Client {
  const timing = { ...usualTiming, ...options.timing }
  const { api, login } = createRequests(options)

  /** Remembers with which token the stream was opened: that one has expired when it says so. */
  function follow<Event>(open: Open, stream: StreamOptions, after?: string) {
    let token: string | null = null
    const renew = () => login.renew(token)
    const openAndRemember: Open = async (...where) => {
      const answer = await open(...where)
      token = login.token()
      return answer
    }
    return readEvents<Event>({ ...stream, timing, renew, open: openAndRemember }, after)
  }

  return {
    api,
    setTokens: login.set,

    streamSessionEvents(session_id, { after, ...stream } = {}) {
      const open: Open = (last, signal) => {
        const params = { path: { session_id }, header: { 'Last-Event-ID': last } }
        const init = { params, parseAs: 'stream', signal } as const
        return api.GET('/api/v1/simulation/sessions/{session_id}/events', init)
      }
      return follow<SessionEvent>(open, stream, after?.toString())
    },

    streamEvents({ organization_id, ...stream } = {}) {
      const open: Open = (_, signal) => {
        const init = { params: { query: { organization_id } }, parseAs: 'stream', signal } as const
        return api.GET('/api/v1/simulation/events', init)
      }
      return follow<OrganizationEvent>(open, stream)
    },
  }
}
