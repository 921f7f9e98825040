import { computed, signal } from '@preact/signals'
import { now } from '../clock.js'
import type { Schema } from '../forms/schema.js'

/** The clock of a session, between two events about it. */
export class SessionClock {
  readonly status = signal<Schema<'SessionStatus'> | null>(null)
  readonly #event = signal<(Schema<'StatusEvent'> & { receivedAt: number }) | null>(null)

  /** The time on the session's clock in milliseconds; null before the start. */
  readonly elapsed = computed(() => {
    const event = this.#event.value
    if (event?.elapsed_ms == null) return null
    const since = event.status === 'running' ? now.value - event.receivedAt : 0
    return event.elapsed_ms + Math.max(0, since) * event.speed
  })

  /** How many seconds the session's clock advances in a second. */
  readonly speed = computed(() => this.#event.value?.speed ?? 1)

  set(event: Schema<'StatusEvent'>): void {
    const receivedAt = performance.now()
    now.value = receivedAt
    this.status.value = event.status
    this.#event.value = { ...event, receivedAt }
  }

  /** Returns the time that the session's clock shows at an instant of the service if it runs on, in whole seconds. */
  elapsedAt(instant: string): number {
    const event = this.#event.value
    if (event?.elapsed_ms == null) return 0
    const since = Date.parse(instant) - Date.parse(event.at)
    return Math.round((event.elapsed_ms + since * event.speed) / 1_000) * 1_000
  }

  /** Returns how much real time is left until an instant of the service, in milliseconds. */
  until(instant: string): number {
    const event = this.#event.value
    // Before the first event only the device knows the time.
    const openedAt = event ? Date.parse(event.at) - event.receivedAt : performance.timeOrigin
    return Date.parse(instant) - (now.value + openedAt)
  }
}
