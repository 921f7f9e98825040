import quantile from '@stdlib/stats-base-dists-t-quantile'
import { momentsOf, sum } from './moments.js'
import { addRows, armSizes, type Row, type Trial } from './trial.js'

/**
 * How the studentized difference of an allocation moves with the shift that is taken from the
 * values of those who were in the intervention: with a shift of s the difference of the means is
 * d0 + d1 s, and its variance plus its square m0 + m1 s + m2 s². These five are what is kept.
 */
export type Curves = Float64Array
export const curveWidth = 5

/** Writes the curve of an allocation, given the sum of the rows of its intervention arm. */
export function curveWriter(trial: Trial) {
  const { control, intervention } = armSizes(trial)
  const total = sumOf(trial.rows)
  const both = 1 / control + 1 / intervention
  const ofControl = 1 / (control * (control - 1))
  const ofIntervention = 1 / (intervention * (intervention - 1))
  const ofSquare = both ** 2 - ofControl / control - ofIntervention / intervention
  const spread = (inArm: number, inAll: number, square: number) =>
    ofIntervention * inArm + ofControl * (inAll - inArm) + ofSquare * square
  return ([a, c, aa, ac, cc]: Row, curves: Curves, at: number) => {
    curves[at] = both * a
    curves[at + 1] = -both * c
    curves[at + 2] = spread(aa, total[2], a * a)
    curves[at + 3] = -2 * spread(ac, total[3], a * c)
    curves[at + 4] = spread(cc, total[4], c * c)
  }
}

/**
 * d |d| / (v + d²) of a difference d and its variance v: it orders allocations as the studentized
 * d / √v of Neyman and Welch does, but lies between -1 and 1, also where v is 0.
 */
export function statistic(curves: Curves, at: number, shift: number): number {
  const d = (curves[at] ?? 0) + shift * (curves[at + 1] ?? 0)
  const m = (curves[at + 2] ?? 0) + shift * ((curves[at + 3] ?? 0) + shift * (curves[at + 4] ?? 0))
  return m > 0 ? (d * Math.abs(d)) / m : 0
}

/** Of the intervention arm that was. */
export const observedSum = ({ rows }: Trial): Row => sumOf(rows.filter(isIntervention))

const isIntervention = ([, c]: Row) => c > 0
const isControl = ([, c]: Row) => c < 0

function sumOf(rows: readonly Row[]): Row {
  const total: Row = [0, 0, 0, 0, 0]
  for (const row of rows) addRows(total, total, row)
  return total
}

/**
 * Intervention minus control within blocks, as of a regression on arm and block: a block weighs the
 * product of the sizes of its arms by their sum. Null where no block holds both.
 */
export function differenceWithin(trial: Trial): number | null {
  const [a, c] = observedSum(trial)
  return c > 0 ? a / c : null
}

export interface Precision {
  error: number
  df: number
}

/** Welch's standard error of that difference and its degrees of freedom; every block costs one. */
export function standardError({ rows, sizes }: Trial, difference: number): Precision {
  const arms = [rows.filter(isControl), rows.filter(isIntervention)].map((arm) => {
    const { n, sd } = momentsOf(arm.map(([a, c]) => a - difference * c))
    return { n, variance: (sd ?? 0) ** 2 / n }
  })
  const variance = sum(arms.map((arm) => arm.variance))
  const doubt = sum(arms.map((arm) => (arm.variance / variance) ** 2 / (arm.n - 1)))
  const share = (rows.length - 1 - sizes.length) / (rows.length - 2)
  // What a difference of 1 leaves between the arms once the means of the blocks are taken away.
  const scale = sum(arms.map(({ n }) => 1 / n)) * sum(rows.filter(isIntervention).map(([, c]) => c))
  return { error: Math.sqrt(variance / share) / scale, df: share / doubt }
}

const power = 0.8

/**
 * The smallest true difference that a test at alpha finds with a power of 80 %, approximately: the
 * minimum detectable effect of Bloom (1995, doi:10.1177/0193841X9501900504), two quantiles of
 * Student's t times the standard error, with Welch's error and degrees of freedom as observed.
 */
export function detectableEffect({ error, df }: Precision, alpha: number): number | null {
  return error > 0 ? (quantile(1 - alpha / 2, df) + quantile(power, df)) * error : null
}
