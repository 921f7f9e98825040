import type { Schema } from '../../contract.js'
import type { Arms, StoredExperiment } from '../design.js'

/** How many sessions of a block are in each arm. */
export interface ArmSizes {
  control: number
  intervention: number
}

/** The usual significance level. */
export const significance = 0.05

/**
 * The smallest two-sided p that an exact permutation test can reach with arms of these sizes: one
 * of the possible assignments in each tail (Ernst 2004, doi:10.1214/088342304000000396; Phipson and
 * Smyth 2010, doi:10.2202/1544-6115.1585). The test swaps sessions only within their block.
 */
export function smallestP(blocks: readonly ArmSizes[]): number {
  return Math.min(1, 2 / waysToAssign(blocks))
}

/** The number of ways to assign the sessions to arms of these sizes. */
export function waysToAssign(blocks: readonly ArmSizes[]): number {
  return blocks.reduce((product, block) => product * waysToFill(block), 1)
}

/** Exact for small arms. For very large arms it is infinite, and p is 0. */
function waysToFill({ control, intervention }: ArmSizes): number {
  const smaller = Math.min(control, intervention)
  let ways = 1
  for (let i = 1; i <= smaller; i++) ways = (ways * (control + intervention - smaller + i)) / i
  return ways
}

/** The arm sizes of each block. Without an assignment, all sessions are one block. */
function blockSizes({ assignment, ...arms }: StoredExperiment): ArmSizes[] {
  if (!assignment) return [sizesOf(arms)]
  const control = new Set(arms.control_session_ids)
  const intervention = new Set(arms.intervention_session_ids)
  return assignment.blocks.map(({ session_ids }) => ({
    control: session_ids.filter((session) => control.has(session)).length,
    intervention: session_ids.filter((session) => intervention.has(session)).length,
  }))
}

const sizesOf = ({ control_session_ids, intervention_session_ids }: Arms): ArmSizes => ({
  control: control_session_ids.length,
  intervention: intervention_session_ids.length,
})

/**
 * What a comparison of these sessions can reach at best. Blocks with one arm compare nothing, and an arm
 * with one session has no variance, so that nothing is tested.
 */
export function bestTest(experiment: StoredExperiment, alpha: number): Schema<'BestTest'> {
  const blocks = blockSizes(experiment).filter((size) => Math.min(...Object.values(size)) > 0)
  const isTestable = armSizes.every((arm) => blocks.reduce((sum, size) => sum + size[arm], 0) > 1)
  const smallest_p = isTestable ? smallestP(blocks) : 1
  return { smallest_p, alpha, fewest_sessions: fewestSessions(alpha) }
}

const armSizes = ['control', 'intervention'] as const

/** The fewest sessions, in one block with equal arms, that can give a significant result. */
function fewestSessions(alpha: number): number {
  let half = 2
  while (smallestP([{ control: half, intervention: half }]) > alpha) half++
  return 2 * half
}
