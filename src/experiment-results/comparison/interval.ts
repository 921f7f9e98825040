/** An end that is farther away than this many standard errors counts as infinite. */
const maxErrors = 2 ** 40
const halvings = 24

/**
 * The confidence interval of a test: from the lowest to the highest true difference that the test
 * does not reject. The search starts at the observed difference. An infinite end is null. If both
 * ends are infinite, the interval is null.
 */
export function intervalAround(
  { difference, error }: { difference: number; error: number },
  isRejected: (difference: number) => boolean,
): [low: number | null, high: number | null] | null {
  if (error === 0) {
    const isOnlyOne = isRejected(difference - 1) && isRejected(difference + 1)
    return isOnlyOne ? [difference, difference] : null
  }
  const endAt = (side: number) => {
    const far = farthest((errors) => isRejected(difference + side * errors * error))
    return far === null ? null : round(difference + side * far * error, error)
  }
  const [low, high] = [endAt(-1), endAt(1)]
  return low === null && high === null ? null : [low, high]
}

/**
 * The farthest number of errors that the test does not reject. Doubles the distance until the test
 * rejects it, then comes back in steps, because p can rise again between arms of very different
 * sizes. Then halves the last step.
 */
function farthest(isRejected: (errors: number) => boolean): number | null {
  let outside = 1
  while (!isRejected(outside)) {
    outside *= 2
    if (outside > maxErrors) return null
  }
  const step = outside / 32
  while (outside > step && isRejected(outside - step)) outside -= step
  let inside = outside - step
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (inside + outside) / 2
    if (isRejected(middle)) outside = middle
    else inside = middle
  }
  return outside
}

/**
 * Rounds to a millionth of the standard error. With counts, an end is often exactly 0. The small
 * remainder of the halving would make the interval contradict p.
 */
function round(end: number, error: number): number {
  const decimals = 6 - Math.floor(Math.log10(error))
  return decimals >= 0 && decimals <= 100 ? Number(end.toFixed(decimals)) : end
}
