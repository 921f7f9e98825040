import type { Schema } from '../../contract.js'
import { momentsOf } from '../comparison/moments.js'
import { ordinalAlpha } from './agreement.js'
import type { Rating } from './transcript.js'

/**
 * The mean over the raters of how each rated the team. If a rater rated only some participants, their
 * average counts as the rating of the team.
 */
export function ratingOf(ratings: readonly Rating[], criterion: string): number | null {
  const numbers = ratings.filter((one) => one.criterion === criterion).flatMap(asNumber)
  const byRater = new Map<string, typeof numbers>()
  for (const one of numbers) {
    const own = byRater.get(one.rater_id)
    if (own) own.push(one)
    else byRater.set(one.rater_id, [one])
  }
  return mean(
    [...byRater.values()].flatMap((own) => {
      const team = own.filter(({ subject }) => subject === 'team')
      return mean((team.length > 0 ? team : own).map(({ number }) => number)) ?? []
    }),
  )
}

/** Yes is 1 and no is 0. A text has no number. */
function asNumber({ value, ...rating }: Rating) {
  return typeof value === 'string' ? [] : [{ ...rating, number: Number(value) }]
}

/** How far raters agree on a criterion about the same teams. */
export function agreementOn(
  criterion: string,
  sessions: readonly (readonly Rating[])[],
): Schema<'RaterAgreement'> {
  const given = sessions.map((ratings) =>
    ratings
      .filter((one) => one.criterion === criterion && one.subject === 'team')
      .flatMap(asNumber),
  )
  const raters = new Set(given.flat().map(({ rater_id }) => rater_id))
  return {
    criterion,
    alpha: ordinalAlpha(given.map((ratings) => ratings.map(({ number }) => number))),
    raters: raters.size,
    units: given.filter(({ length }) => length > 1).length,
  }
}

const mean = (values: readonly number[]) => momentsOf(values).mean
