import { service } from '../../shared/service.js'

const collectMs = 500
const againMs = 10_000

/**
 * Calls back soon after something has happened in the sessions of the organization, once for all that
 * comes together. Where there is no stream, it calls back every 10 seconds. Returns how to stop.
 */
export function followSessions(onChange: () => void): () => void {
  const closing = new AbortController()
  const { signal } = closing
  let timer: ReturnType<typeof setTimeout> | undefined
  let interval: ReturnType<typeof setInterval> | undefined
  const change = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      onChange()
    }, collectMs)
  }
  const follow = async () => {
    // What has changed while the stream was away is read when it is back.
    const onState = (state: string) => state === 'open' && change()
    try {
      for await (const { event } of service.streamEvents({ signal, onState })) {
        if (event !== 'presence') change()
      }
    } finally {
      if (!signal.aborted) interval = setInterval(onChange, againMs)
    }
  }
  follow().catch(() => {})
  return () => {
    closing.abort()
    clearTimeout(timer)
    clearInterval(interval)
  }
}
