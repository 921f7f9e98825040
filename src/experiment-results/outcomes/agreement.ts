import { squares, sum } from '../comparison/moments.js'

/**
 * Krippendorff's alpha for ordinal ratings (Computing Krippendorff's Alpha-Reliability, 2011). Each
 * unit has a rating or null for each rater. The distance of two ratings is that of their middle ranks
 * among all ratings that can be paired. This turns his sums over pairs into sums of squares. Returns
 * null if no unit has two ratings, or all ratings are the same.
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

/** The middle of the first and the last position of a rating in sorted order. */
function middleRanks(ratings: readonly number[]): Map<number, number> {
  const sorted = ratings.toSorted((a, b) => a - b)
  const positions = sorted.map((rating, position) => [rating, position] as const)
  const lasts = new Map(positions)
  return new Map(
    positions
      .toReversed()
      .map(([rating, first]) => [rating, (first + (lasts.get(rating) ?? 0)) / 2]),
  )
}
