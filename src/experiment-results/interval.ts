/** An end that is so many standard errors away is beyond reach. */
const mostErrors = 2 ** 40
const halvings = 24

/**
 * The interval that a test leaves: from the lowest to the highest true difference that it does not
 * reject, sought from the one that was observed; each null where it has no end, and all of it where
 * it has none.
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
 * Goes out from 0 until it is rejected and comes back in steps, for between arms of very different
 * sizes p may rise once more; then halves the last step.
 */
function farthest(isRejected: (errors: number) => boolean): number | null {
  let outside = 1
  while (!isRejected(outside)) {
    outside *= 2
    if (outside > mostErrors) return null
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
 * To a millionth of the standard error. Among counts 0 is often an end itself, and what halving
 * leaves beside it would tell another story than p.
 */
function round(end: number, error: number): number {
  const decimals = 6 - Math.floor(Math.log10(error))
  return decimals >= 0 && decimals <= 100 ? Number(end.toFixed(decimals)) : end
}
