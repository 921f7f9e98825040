import { momentsOf, sum } from './moments.js'
import { quantile } from './student-t.js'
import { addRows, armSizes, type Row, type Trial } from './trial.js'

/**
 * How the studentized difference of an allocation depends on a shift s that is subtracted from the
 * values of the intervention arm. The difference of the means is d0 + d1 s. Its variance plus its
 * square is m0 + m1 s + m2 s². A curve is these five numbers.
 */
export type Curves = Float64Array
export const curveWidth = 5

/** Writes the curve of an allocation, given the sum of the rows of its intervention arm. */
export function curveWriter(trial: Trial) {
  const { control, intervention } = armSizes(trial)
  const total = sumOf(trial.rows)
  const both = 1 / control + 1 / intervention
  const controlFactor = 1 / (control * (control - 1))
  const interventionFactor = 1 / (intervention * (intervention - 1))
  const squareFactor = both ** 2 - controlFactor / control - interventionFactor / intervention
  const moment = (inArm: number, inAll: number, square: number) =>
    interventionFactor * inArm + controlFactor * (inAll - inArm) + squareFactor * square
  return ([a, c, aa, ac, cc]: Row, curves: Curves, at: number) => {
    curves[at] = both * a
    curves[at + 1] = -both * c
    curves[at + 2] = moment(aa, total[2], a * a)
    curves[at + 3] = -2 * moment(ac, total[3], a * c)
    curves[at + 4] = moment(cc, total[4], c * c)
  }
}

/**
 * d |d| / (v + d²) for a difference d with variance v. It sorts allocations in the same order as the
 * studentized d / √v of Neyman and Welch, but lies between -1 and 1, even if v is 0.
 */
export function statistic(curves: Curves, at: number, shift: number): number {
  const d = (curves[at] ?? 0) + shift * (curves[at + 1] ?? 0)
  const m = (curves[at + 2] ?? 0) + shift * ((curves[at + 3] ?? 0) + shift * (curves[at + 4] ?? 0))
  return m > 0 ? (d * Math.abs(d)) / m : 0
}

/** The sum of the rows of the observed intervention arm. */
export const observedSum = ({ rows }: Trial): Row => sumOf(rows.filter(isIntervention))

const isIntervention = ([, c]: Row) => c > 0
const isControl = ([, c]: Row) => c < 0

function sumOf(rows: readonly Row[]): Row {
  const total: Row = [0, 0, 0, 0, 0]
  for (const row of rows) addRows(total, total, row)
  return total
}

/**
 * Intervention minus control within blocks, as in a regression on arm and block. The weight of a
 * block is the product of its arm sizes divided by their sum. Null if no block has both arms.
 */
export function differenceWithin(trial: Trial): number | null {
  const [a, c] = observedSum(trial)
  return c > 0 ? a / c : null
}

export interface Precision {
  error: number
  df: number
}

/** Welch's standard error of the difference, and its degrees of freedom. Each block costs one. */
export function standardError({ rows, sizes }: Trial, difference: number): Precision {
  const arms = [rows.filter(isControl), rows.filter(isIntervention)].map((arm) => {
    const { n, sd } = momentsOf(arm.map(([a, c]) => a - difference * c))
    return { n, variance: (sd ?? 0) ** 2 / n }
  })
  const variance = sum(arms.map((arm) => arm.variance))
  const inverseDf = sum(arms.map((arm) => (arm.variance / variance) ** 2 / (arm.n - 1)))
  const share = (rows.length - 1 - sizes.length) / (rows.length - 2)
  // The difference of 1 between the arms that remains after the block means are subtracted.
  const scale = sum(arms.map(({ n }) => 1 / n)) * sum(rows.filter(isIntervention).map(([, c]) => c))
  return { error: Math.sqrt(variance / share) / scale, df: share / inverseDf }
}

const power = 0.8

/**
 * The approximate smallest true difference that a test at alpha finds with a power of 80 %. This is
 * Bloom's minimum detectable effect (1995, doi:10.1177/0193841X9501900504): the sum of two quantiles
 * of Student's t times the standard error, with Welch's observed error and degrees of freedom.
 */
export function detectableEffect({ error, df }: Precision, alpha: number): number | null {
  return error > 0 ? (quantile(1 - alpha / 2, df) + quantile(power, df)) * error : null
}
