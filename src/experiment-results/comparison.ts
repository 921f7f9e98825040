import { smallestP } from '../experiments/smallest-p.js'
import { intervalAround } from './interval.js'
import { type Moments, momentsOf } from './moments.js'
import { type Method, referTo, twoSidedP } from './permutation.js'
import { type Arm, armSizes, type Trial, trialOf, type Unit } from './trial.js'
import { detectableEffect, differenceWithin, standardError } from './welch.js'

export interface Options {
  alpha: number
  /** Of the draws, where the allocations are too many to look at every one. */
  seed: string
  mostAllocations?: number
  draws?: number
}

/** What cannot be told is null. */
export interface Comparison {
  control: Moments
  intervention: Moments
  /** Intervention minus control, within blocks. */
  difference: number | null
  /** The true differences that the test does not reject at alpha. */
  interval: [low: number | null, high: number | null] | null
  p: number | null
  method: Method | 'not_testable'
  /** How many were looked at. */
  allocations: number
  /** What the sizes of the arms in the blocks allow. */
  smallest_p: number
  /** The smallest true difference that would be found with a power of 80 %. */
  detectable_effect: number | null
}

/** The squares of larger ones would be infinite, and p a number without sense. */
const mostValue = 1e75

/** Throws a RangeError when a value is no number that can be compared. */
export function compareArms(units: readonly Unit[], options: Options): Comparison {
  const isComparable = units.every(({ value }) => Math.abs(value) <= mostValue)
  if (!isComparable) throw new RangeError(`A value is not between -${mostValue} and ${mostValue}`)
  const trial = trialOf(units)
  const valuesOf = (arm: Arm) => valuesIn(units.filter((unit) => unit.arm === arm))
  const verdict = test(trial, options)
  const ofDraws = verdict.method === 'permutation_sampled' ? 2 / (verdict.allocations + 1) : 0
  return {
    control: momentsOf(valuesOf('control')),
    intervention: momentsOf(valuesOf('intervention')),
    smallest_p: Math.max(smallestP(trial.sizes), ofDraws),
    ...verdict,
  }
}

/** In order, for a sum in another order may be another number. */
const valuesIn = (units: readonly Unit[]) => units.map(({ value }) => value).sort((a, b) => a - b)

type Verdict = Omit<Comparison, 'control' | 'intervention' | 'smallest_p'>

function test(trial: Trial, { alpha, seed, mostAllocations = 200_000, draws = 20_000 }: Options) {
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
  // One alone has no variance.
  if (difference === null || control < 2 || intervention < 2) return verdict
  const reference = referTo(trial, { seed, mostAllocations, draws })
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
