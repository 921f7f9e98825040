import { ApiError, type Schema } from '../../client/client.js'
import { service } from '../shared/service.js'

const mostTries = 5
const longestWaitSeconds = 3

/**
 * Exchanges the secret of a link for a place. Throws `seat_taken` if the place is taken and `take_over` is false.
 * While many do so at once, the service asks some of them to wait a moment.
 */
export async function exchangeLink(
  seat_token: string,
  take_over: boolean,
): Promise<Schema<'SeatGrant'>> {
  for (let tries = 0; ; tries++) {
    try {
      const body = { seat_token, take_over }
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
