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

/** Where a reader is. */
interface Position {
  /** The last `id`. */
  after: string | undefined
  /** How many tries have failed since the last block. */
  failures: number
  /** Whether the next try is made at once. */
  isHurried: boolean
}

/**
 * Yields the events of a stream, and connects again where the connection was lost. Ends with the
 * event `end`, except that of a service that stops. Throws the ApiError of a refusal.
 */
export async function* readEvents<Event>(stream: Stream, after?: string): AsyncGenerator<Event> {
  const { signal, onState, timing } = stream
  const position = { after, failures: 0, isHurried: false }
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
    if (position.isHurried) position.failures = 0
    else await pause(seconds * 1_000 + waitBefore(position.failures++, timing), signal)
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
  position.isHurried = false
  const onOpen = () => onState?.('open')
  const onHurry = () => {
    position.isHurried = true
  }
  const { after } = position
  for await (const block of readConnection({ open, after, silence, signal, onOpen, onHurry })) {
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
