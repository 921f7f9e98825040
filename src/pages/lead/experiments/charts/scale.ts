/** Where values are on a line: `at` returns the place of a value. */
export interface Scale {
  at: (value: number) => number
  ticks: number[]
}

interface Ends {
  start: number
  end: number
  /** Where the scale begins at the earliest. */
  lowest?: number
}

/** A scale from the smallest to the largest value, with some room and round ticks. */
export function scaleOf(
  values: readonly number[],
  { start, end, lowest = -Infinity }: Ends,
): Scale {
  const least = Math.min(...values)
  const most = Math.max(...values)
  const span = most - least || Math.abs(most) || 1
  const low = Math.max(lowest, least - span * 0.1)
  const high = most + span * 0.1
  const at = (value: number) => start + ((value - low) / (high - low)) * (end - start)
  return { at, ticks: ticksOf(low, high) }
}

function ticksOf(low: number, high: number): number[] {
  const rough = (high - low) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough
  const first = Math.ceil(low / step)
  const count = Math.floor(high / step) - first + 1
  // A product of whole steps has fewer digits than a sum.
  return Array.from({ length: count }, (_, index) =>
    Number(((first + index) * step).toPrecision(6)),
  )
}
