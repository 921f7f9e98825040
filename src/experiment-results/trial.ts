import type { ArmSizes } from '../experiments/smallest-p.js'
import { sum } from './moments.js'

export type Arm = 'control' | 'intervention'

export interface Unit {
  arm: Arm
  block: string | null
  value: number
}

/** One place of the intervention arm: each unit from `first` to before `end` may fill it. */
export interface Place {
  first: number
  end: number
  /** The last unit that leaves enough of its block for the places after this one. */
  last: number
}

/**
 * Of a unit a, c, a², ac and c²: its value and its arm, 0 or 1, each less the mean of its block, so
 * that differences between blocks do not count.
 */
export type Row = [a: number, c: number, aa: number, ac: number, cc: number]

/** The units of the blocks that hold both arms, block after block; others compare nothing. */
export interface Trial {
  rows: Row[]
  places: Place[]
  sizes: ArmSizes[]
}

export function trialOf(units: readonly Unit[]): Trial {
  const trial: Trial = { rows: [], places: [], sizes: [] }
  for (const block of blocksOf(units)) {
    const size = sizesOf(block)
    if (size.control === 0 || size.intervention === 0) continue
    const first = trial.rows.length
    const end = first + block.length
    for (let i = 0; i < size.intervention; i++) {
      trial.places.push({ first: first + i, end, last: end - size.intervention + i })
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

/** In an order of their own, so that the order in which units come changes no draw. */
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

/** Counted from the first one, so that what is large in all of them costs no precision. */
function centred([first = 0, ...others]: readonly number[]): number[] {
  const values = [0, ...others.map((value) => value - first)]
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map((value) => value - mean)
}

/** Into a row that is there, because there are hundreds of thousands of them. */
export function addRows(target: Row, one: Row, other: Row): void {
  target[0] = one[0] + other[0]
  target[1] = one[1] + other[1]
  target[2] = one[2] + other[2]
  target[3] = one[3] + other[3]
  target[4] = one[4] + other[4]
}
