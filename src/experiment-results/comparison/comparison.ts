import { smallestP } from '../../experiments/readiness/smallest-p.js'
import { intervalAround } from './interval.js'
import { type Moments, momentsOf } from './moments.js'
import { type Method, referenceOf, twoSidedP } from './permutation.js'
import { type Arm, armSizes, type Trial, trialOf, type Unit } from './trial.js'
import { detectableEffect, differenceWithin, standardError } from './welch.js'

export interface Options {
  alpha: number
  /** The seed of the random draws, if there are too many allocations to compute all. */
  seed: string
  maxAllocations?: number
  draws?: number
}

/** A value that cannot be computed is null. */
export interface Comparison {
  control: Moments
  intervention: Moments
  /** Intervention minus control, within blocks. */
  difference: number | null
  /** The true differences that the test does not reject at alpha. */
  interval: [low: number | null, high: number | null] | null
  p: number | null
  method: Method | 'not_testable'
  /** The number of allocations that were computed. */
  allocations: number
  /** The smallest p that the arm sizes allow. */
  smallest_p: number
  /** The smallest true difference that the test finds with a power of 80 %. */
  detectable_effect: number | null
}

/** The squares of larger values would be infinite, and p would be meaningless. */
const maxValue = 1e75

/** Throws a RangeError if a value is too large to be compared. */
export function compareArms(units: readonly Unit[], options: Options): Comparison {
  const isComparable = units.every(({ value }) => Math.abs(value) <= maxValue)
  if (!isComparable) throw new RangeError(`A value is not between -${maxValue} and ${maxValue}`)
  const trial = trialOf(units)
  const valuesOf = (arm: Arm) => sortedValues(units.filter((unit) => unit.arm === arm))
  const verdict = test(trial, options)
  const smallestDrawn = verdict.method === 'permutation_sampled' ? 2 / (verdict.allocations + 1) : 0
  return {
    control: momentsOf(valuesOf('control')),
    intervention: momentsOf(valuesOf('intervention')),
    smallest_p: Math.max(smallestP(trial.sizes), smallestDrawn),
    ...verdict,
  }
}

/** Sorted, because floating-point sums depend on the order. */
const sortedValues = (units: readonly Unit[]) =>
  units.map(({ value }) => value).sort((a, b) => a - b)

type Verdict = Omit<Comparison, 'control' | 'intervention' | 'smallest_p'>

function test(trial: Trial, { alpha, seed, maxAllocations = 200_000, draws = 20_000 }: Options) {
  const difference = differenceWithin(trial)
  const verdict: Verdict = {
    difference,
    interval: null,
    p: null,
    method: 'not_testable',
    allocations: 0,
    detectable_effect: null,
  }
  const { control, intervention } = armSizes(trial)
  // One value alone has no variance.
  if (difference === null || control < 2 || intervention < 2) return verdict
  const reference = referenceOf(trial, { seed, maxAllocations, draws })
  const { method, allocations } = reference
  const tested = { ...verdict, method, allocations, p: twoSidedP(reference, 0) }
  if (smallestP(trial.sizes) > alpha) return tested
  const precision = standardError(trial, difference)
  return {
    ...tested,
    interval: intervalAround(
      { difference, ...precision },
      (shift) => twoSidedP(reference, shift) <= alpha,
    ),
    detectable_effect: detectableEffect(precision, alpha),
  }
}
