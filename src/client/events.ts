import { ApiError, isRefusal } from './api-error.js'
import { pause, type StreamTiming, waitBefore } from './backoff.js'
import { type Open, readConnection } from './connection.js'
import type { components } from './contract-types.js'

type Schemas = components['schemas']

/** An event of `streamSessionEvents`, which `event` tells apart. The last one is `end`. */
export type SessionEvent = Exclude<Schemas['SessionEvents'], { event: 'token_expired' }>
/** An event of `streamEvents`. The last one is `end`. */
export type OrganizationEvent = Exclude<Schemas['OrganizationEvents'], { event: 'token_expired' }>

/** Whether a stream is connecting, open, or waiting to connect again. */
export type StreamState = 'connecting' | 'open' | 'waiting'

export interface StreamOptions {
  /** Ends the stream, without an error. */
  signal?: AbortSignal | undefined
  onState?: ((state: StreamState) => void) | undefined
}

interface Stream extends StreamOptions {
  open: Open
  /** Gets another access token. */
  renew: () => Promise<void>
  timing: StreamTiming
}

/** Where a reader is: the last `id`, and how many tries have failed since the last block. */
interface Position {
  after: string | undefined
  failures: number
}

/**
 * Yields the events of a stream, and connects again where the connection was lost. Ends with the
 * event `end`, except that of a service that stops. Throws the ApiError of a refusal.
 */
export async function* readEvents<Event>(stream: Stream, after?: string): AsyncGenerator<Event> {
  const { signal, onState, timing } = stream
  const position = { after, failures: 0 }
  while (!signal?.aborted) {
    let seconds = 0
    try {
      const ending = yield* readUntilLost<Event>(stream, position)
      if (ending === 'over') return
      if (ending === 'expired') {
        await stream.renew()
        continue
      }
    } catch (error) {
      if (signal?.aborted) return
      if (isRefusal(error)) throw error
      if (error instanceof ApiError) seconds = Math.min(error.retryAfter ?? 0, longestRetryAfter)
    }
    onState?.('waiting')
    await pause(seconds * 1_000 + waitBefore(position.failures++, timing), signal)
  }
}

/** A proxy may ask for hours. */
const longestRetryAfter = 60

/** Yields the events of one connection. */
async function* readUntilLost<Event>(
  { open, signal, onState, timing: { silence } }: Stream,
  position: Position,
): AsyncGenerator<Event, 'over' | 'expired' | 'lost'> {
  onState?.('connecting')
  const onOpen = () => onState?.('open')
  const { after } = position
  for await (const block of readConnection({ open, after, silence, signal, onOpen })) {
    position.failures = 0
    position.after = block.get('id') ?? position.after
    const event = block.get('event')
    if (event === 'token_expired') return 'expired'
    if (event === undefined) continue
    const data = JSON.parse(block.get('data') ?? 'null')
    if (event === 'end' && data.reason === 'service_stops') return 'lost'
    yield { event, data } as Event
    if (event === 'end') return 'over'
  }
  return 'lost'
}
