import type { ArmSizes } from '../../experiments/readiness/smallest-p.js'
import { sum } from './moments.js'

export type Arm = 'control' | 'intervention'

export interface Unit {
  arm: Arm
  block: string | null
  value: number
}

/** One slot of the intervention arm. Each unit from `first` up to, but not including, `end` can fill it. */
export interface Slot {
  first: number
  end: number
  /** The last unit that still leaves enough units of its block for the next slots. */
  last: number
}

/**
 * The terms a, c, a², ac and c² of a unit. a is its value and c its arm (0 or 1), each minus the mean
 * of its block, so that differences between blocks do not count.
 */
export type Row = [a: number, c: number, aa: number, ac: number, cc: number]

/** The units of all blocks that have both arms, block by block. Other blocks compare nothing. */
export interface Trial {
  rows: Row[]
  slots: Slot[]
  sizes: ArmSizes[]
}

export function trialOf(units: readonly Unit[]): Trial {
  const trial: Trial = { rows: [], slots: [], sizes: [] }
  for (const block of blocksOf(units)) {
    const size = sizesOf(block)
    if (size.control === 0 || size.intervention === 0) continue
    const first = trial.rows.length
    const end = first + block.length
    for (let i = 0; i < size.intervention; i++) {
      trial.slots.push({ first: first + i, end, last: end - size.intervention + i })
    }
    trial.sizes.push(size)
    for (const row of rowsOf(block)) trial.rows.push(row)
  }
  return trial
}

function sizesOf(units: readonly Unit[]): ArmSizes {
  const control = units.filter(({ arm }) => arm === 'control').length
  return { control, intervention: units.length - control }
}

export const armSizes = ({ sizes }: Trial): ArmSizes => ({
  control: sum(sizes.map(({ control }) => control)),
  intervention: sum(sizes.map(({ intervention }) => intervention)),
})

/** Sorts blocks and units, so that the order of the input does not change the draws. */
function blocksOf(units: readonly Unit[]): Unit[][] {
  const blocks = new Map<string, Unit[]>()
  for (const unit of units) {
    const name = JSON.stringify(unit.block)
    const block = blocks.get(name)
    if (block) block.push(unit)
    else blocks.set(name, [unit])
  }
  return [...blocks]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, block]) => block.sort((a, b) => a.value - b.value || (a.arm < b.arm ? -1 : 1)))
}

function rowsOf(block: readonly Unit[]): Row[] {
  const arms = centred(block.map(({ arm }) => (arm === 'intervention' ? 1 : 0)))
  return centred(block.map(({ value }) => value)).map((a, i) => {
    const c = arms[i] ?? 0
    return [a, c, a * a, a * c, c * c]
  })
}

/** Subtracts the first value before the mean, so that large values lose no precision. */
function centred([first = 0, ...others]: readonly number[]): number[] {
  const values = [0, ...others.map((value) => value - first)]
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map((value) => value - mean)
}

/** Adds two rows into an existing one: new arrays would be slow for hundreds of thousands of sums. */
export function addRows(target: Row, one: Row, other: Row): void {
  target[0] = one[0] + other[0]
  target[1] = one[1] + other[1]
  target[2] = one[2] + other[2]
  target[3] = one[3] + other[3]
  target[4] = one[4] + other[4]
}
