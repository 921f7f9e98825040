import type { Arms, StoredExperiment } from './design.js'

/** How many sessions of a block are in each arm. */
export interface ArmSizes {
  control: number
  intervention: number
}

/** The level that a comparison is usually held to. */
export const significance = 0.05

/**
 * The smallest two-sided p that an exact permutation test of arms of these sizes can reach: of all
 * the ways to fill them, one in each tail (Ernst 2004, doi:10.1214/088342304000000396; Phipson and
 * Smyth 2010, doi:10.2202/1544-6115.1585). Sessions change places within their block only.
 */
export function smallestP(blocks: readonly ArmSizes[]): number {
  return Math.min(1, 2 / waysToAssign(blocks))
}

/** In how many ways the sessions could have been assigned to arms of these sizes. */
export function waysToAssign(blocks: readonly ArmSizes[]): number {
  return blocks.reduce((product, block) => product * waysToFill(block), 1)
}

/** Exact while it is small; beyond all numbers it is infinite, and p is 0. */
function waysToFill({ control, intervention }: ArmSizes): number {
  const smaller = Math.min(control, intervention)
  let ways = 1
  for (let i = 1; i <= smaller; i++) ways = (ways * (control + intervention - smaller + i)) / i
  return ways
}

/** How many sessions of each block of the assignment are in each arm; without one there is one block. */
export function blockSizes({ assignment, ...arms }: StoredExperiment): ArmSizes[] {
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

/** The fewest sessions, half of them in each arm, that can be significant in one block. */
export function fewestSessions(): number {
  let half = 1
  while (smallestP([{ control: half, intervention: half }]) > significance) half++
  return 2 * half
}
