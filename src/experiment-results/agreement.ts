import { squares, sum } from './moments.js'

/**
 * Krippendorff's alpha for ordinal ratings (Computing Krippendorff's Alpha-Reliability, 2011) of
 * units, each by any of the raters; null is a gap. A rating's distance to another is that of their
 * middle ranks among all that can be paired, which turns his sums over pairs into sums of squares.
 * Null where no unit has two ratings, and where all ratings are the same.
 */
export function ordinalAlpha(units: readonly (readonly (number | null)[])[]): number | null {
  const rated = units
    .map((ratings) => ratings.filter((rating) => rating !== null))
    .filter((ratings) => ratings.length > 1)
  const all = rated.flat()
  const ranks = middleRanks(all)
  const rankOf = (rating: number) => ranks.get(rating) ?? 0
  const expected = squares(all.map(rankOf)) / (all.length - 1)
  if (!(expected > 0)) return null
  const within = rated.map((ratings) => {
    const { length } = ratings
    return (length / (length - 1)) * squares(ratings.map(rankOf))
  })
  return 1 - sum(within) / all.length / expected
}

/** Half way between the first and the last place that a rating has in order. */
function middleRanks(ratings: readonly number[]): Map<number, number> {
  const places = ratings.toSorted((a, b) => a - b).map((rating, place) => [rating, place] as const)
  const lasts = new Map(places)
  return new Map(
    places.toReversed().map(([rating, first]) => [rating, (first + (lasts.get(rating) ?? 0)) / 2]),
  )
}
