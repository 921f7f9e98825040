import { waysToAssign } from '../experiments/smallest-p.js'
import { drawAllocations, listAllocations } from './allocations.js'
import type { Row, Trial } from './trial.js'
import { type Curves, curveWidth, curveWriter, observedSum, statistic } from './welch.js'

export type Method = 'permutation_exact' | 'permutation_sampled'

/** What the allocation that was is compared with. */
export interface Reference {
  curves: Curves
  observed: Curves
  method: Method
  allocations: number
  /** Whether each curve stands for the one with the arms swapped as well. */
  isMirrored: boolean
}

interface Limits {
  seed: string
  mostAllocations: number
  draws: number
}

/** What rounding can make of a tie; the statistic lies between -1 and 1. */
const tolerance = 1e-10

/**
 * All allocations, or so many drawn ones, for a permutation test of the studentized difference:
 * with one block that is Welch's t. The test is exact where the arms differ in nothing, and right
 * in large samples where only their means are equal (Janssen 1997; Chung and Romano 2013,
 * doi:10.1214/13-AOS1090).
 */
export function referTo(trial: Trial, { seed, mostAllocations, draws }: Limits): Reference {
  const ways = waysToAssign(trial.sizes)
  const isExact = ways <= mostAllocations
  const isMirrored = isExact && trial.sizes.every((size) => size.control === size.intervention)
  const allocations = isExact ? ways : draws
  const curves = new Float64Array(curveWidth * (isMirrored ? ways / 2 : allocations))
  const observed = new Float64Array(curveWidth)
  const write = curveWriter(trial)
  write(observedSum(trial), observed, 0)
  let at = 0
  const see = (sum: Row) => {
    write(sum, curves, at)
    at += curveWidth
  }
  if (isExact) listAllocations(trial, isMirrored, see)
  else drawAllocations(trial, { seed, draws }, see)
  const method = isExact ? 'permutation_exact' : 'permutation_sampled'
  return { curves, observed, method, allocations, isMirrored }
}

/**
 * Twice the smaller tail, so that `smallestP` holds for arms of different sizes as well: the share
 * of allocations that lie as far out as the one that was, if the intervention shifts values by so
 * much. Among drawn ones that one is counted too, or p could be 0 (Phipson and Smyth 2010,
 * doi:10.2202/1544-6115.1585).
 */
export function twoSidedP(reference: Reference, shift: number): number {
  const { curves, observed, method, allocations, isMirrored } = reference
  const added = method === 'permutation_exact' ? 0 : 1
  const value = statistic(observed, 0, shift)
  let [above, below] = [added, added]
  for (let at = 0; at < curves.length; at += curveWidth) {
    const other = statistic(curves, at, shift)
    if (other >= value - tolerance) above++
    if (other <= value + tolerance) below++
    if (isMirrored && -other >= value - tolerance) above++
    if (isMirrored && -other <= value + tolerance) below++
  }
  return Math.min(1, (2 * Math.min(above, below)) / (allocations + added))
}
