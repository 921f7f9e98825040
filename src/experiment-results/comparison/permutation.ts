import { waysToAssign } from '../../experiments/readiness/smallest-p.js'
import { drawAllocations, listAllocations } from './allocations.js'
import type { Row, Trial } from './trial.js'
import { type Curves, curveWidth, curveWriter, observedSum, statistic } from './welch.js'

export type Method = 'permutation_exact' | 'permutation_sampled'

/** The reference distribution of a permutation test, and the observed allocation. */
export interface Reference {
  curves: Curves
  observed: Curves
  method: Method
  allocations: number
  /** Whether each curve also counts for the allocation with the arms swapped. */
  isMirrored: boolean
}

interface ReferenceOptions {
  seed: string
  maxAllocations: number
  draws: number
}

/** How far rounding can move two equal statistics apart. The statistic lies between -1 and 1. */
const tolerance = 1e-10

/**
 * Computes all allocations, or a number of drawn ones, for a permutation test of the studentized
 * difference. With one block that is Welch's t. The test is exact if the arms have the same
 * distribution. If only their means are equal, it is right in large samples (Janssen 1997; Chung and
 * Romano 2013, doi:10.1214/13-AOS1090).
 */
export function referenceOf(
  trial: Trial,
  { seed, maxAllocations, draws }: ReferenceOptions,
): Reference {
  const ways = waysToAssign(trial.sizes)
  const isExact = ways <= maxAllocations
  const isMirrored = isExact && trial.sizes.every((size) => size.control === size.intervention)
  const allocations = isExact ? ways : draws
  const curves = new Float64Array(curveWidth * (isMirrored ? ways / 2 : allocations))
  const observed = new Float64Array(curveWidth)
  const write = curveWriter(trial)
  write(observedSum(trial), observed, 0)
  let at = 0
  const visit = (sum: Row) => {
    write(sum, curves, at)
    at += curveWidth
  }
  if (isExact) listAllocations(trial, isMirrored, visit)
  else drawAllocations(trial, { seed, draws }, visit)
  const method = isExact ? 'permutation_exact' : 'permutation_sampled'
  return { curves, observed, method, allocations, isMirrored }
}

/**
 * The two-sided p under the assumption that the intervention shifts values by `shift`: twice the
 * share of allocations in the smaller tail. Twice the tail, so that `smallestP` also holds for arms
 * of different sizes. With drawn allocations the observed one is counted too, or p could be 0
 * (Phipson and Smyth 2010, doi:10.2202/1544-6115.1585).
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
