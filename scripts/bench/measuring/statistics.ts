/** Returns the value below which a share of the values lies; null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

/** Ignores nulls; null without values. */
export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b)
  const middle = known.length / 2
  const [low, high] = [known[Math.ceil(middle) - 1], known[Math.floor(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

export function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole
}
