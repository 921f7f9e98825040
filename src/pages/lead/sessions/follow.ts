import type {
  OrganizationEvent,
  SessionEvent,
  StreamOptions,
  StreamState,
} from '../../../client/client.js'
import { WithoutStream } from '../../shared/room/without-stream.js'
import { service } from '../../shared/service.js'

const collectMs = 500

/** Calls back soon after something has happened in the sessions of the organization. */
export const followSessions = (onChange: () => void): (() => void) =>
  follow((options) => service.streamEvents(options), onChange)

/** Calls back soon after something has happened in a session. Of its messages, only later ones count. */
export const followSession = (id: string, after: number, onChange: () => void): (() => void) =>
  follow((options) => service.streamSessionEvents(id, { ...options, after }), onChange)

type Events = AsyncGenerator<OrganizationEvent | SessionEvent>

/**
 * Calls back soon after something has happened, once for all that comes together. Where there is no
 * stream for half a minute, it calls back every five seconds. Returns how to stop.
 */
function follow(open: (options: StreamOptions) => Events, onChange: () => void): () => void {
  const closing = new AbortController()
  const { signal } = closing
  let timer: ReturnType<typeof setTimeout> | undefined
  const withoutStream = new WithoutStream(async () => onChange())
  const change = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      onChange()
    }, collectMs)
  }
  const read = async () => {
    // What has changed while the stream was away is read when it is back.
    const onState = (state: StreamState) => {
      withoutStream.onState(state)
      if (state === 'open') change()
    }
    try {
      for await (const { event } of open({ signal, onState })) {
        if (event !== 'presence') change()
      }
    } finally {
      if (!signal.aborted) withoutStream.onState('waiting')
    }
  }
  read().catch(() => {})
  return () => {
    closing.abort()
    clearTimeout(timer)
    withoutStream.stop()
  }
}
