import { effect } from '@preact/signals'
import { ApiError, type Schema, type Tokens } from '../../client/client.js'
import { service, tokens } from '../shared/service.js'
import { everyRoom, readStored, store } from '../shared/stored.js'
import { type Place, room, storedPlace } from './state.js'

const mostTries = 5
const longestWaitSeconds = 3

/**
 * Exchanges the secret of a link for a place. While many do so at once, the service asks some of them to wait a
 * moment.
 */
export async function exchangeLink(seat_token: string): Promise<Schema<'SeatGrant'>> {
  for (let tries = 0; ; tries++) {
    try {
      const body = { seat_token }
      return (await service.api.POST('/api/v1/simulation/seats/take', { body })).data
    } catch (error) {
      const seconds = waitOf(error)
      if (tries === mostTries || seconds === 0 || seconds > longestWaitSeconds) throw error
      // Those who were refused together do not come back together.
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000 * (1 + Math.random())))
    }
  }
}

const waitOf = (error: unknown) =>
  error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 0) : 0

/** A place with its login. After the end of a session nobody can take it, but the login still works for a while. */
interface KeptSeat {
  place: Place
  tokens: Tokens
}

const nameOf = (seat_token: string) => `${everyRoom}seat ${seat_token}`

/** The place of a link that this browser has had open. */
export const keptSeat = (seat_token: string) => readStored<KeptSeat>(nameOf(seat_token))

export function forgetSeat(place = storedPlace()): void {
  if (place?.seat_token) store(nameOf(place.seat_token), null)
}

effect(() => {
  if (!tokens.value || !room.value) return
  const place = storedPlace()
  const kept = { place, tokens: tokens.value }
  if (place?.seat_token) store(nameOf(place.seat_token), kept)
})
