export interface Moments {
  n: number
  mean: number | null
  /** The standard deviation of the sample, with n - 1. */
  sd: number | null
}

export function momentsOf(values: readonly number[]): Moments {
  const n = values.length
  return {
    n,
    mean: n > 0 ? sum(values) / n : null,
    sd: n > 1 ? Math.sqrt(squares(values) / (n - 1)) : null,
  }
}

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** The sum of the squared distances from the mean. */
export function squares(values: readonly number[]): number {
  const mean = sum(values) / values.length
  return sum(values.map((value) => (value - mean) ** 2))
}
