import { parseArgs } from 'node:util'
import { referenceOf, twoSidedP } from '../src/experiment-results/comparison/permutation.js'
import { type Arm, trialOf, type Unit } from '../src/experiment-results/comparison/trial.js'
import { significance } from '../src/experiments/readiness/smallest-p.js'
import { type Random, randomFrom } from './seeded-random.js'

const usage = `Looks for effects where there are none: npm run null-experiments [-- OPTION …]

  --experiments 10000   of each design
  --seed null           of all that is random

Prints in how many of them the test finds an effect at ${significance}. Ends with 0 only when that is
nowhere more than ${significance * 100} % and 0.7 points for chance. The test promises it where the arms
differ in nothing. Where their variances differ it does so of large arms only: such designs are
marked "beside" and not held to it.`

const allowance = 0.007
const limits = { maxAllocations: 20_000, draws: 199 }

type Distribution = (random: Random) => number

/** How many units of each block are in the intervention and in the control arm. */
const shapes: Record<string, [intervention: number, control: number][]> = {
  '4 + 4': [[4, 4]],
  '6 + 6': [[6, 6]],
  '8 + 8': [[8, 8]],
  '5 + 10': [[5, 10]],
  '15 + 15, drawn': [[15, 15]],
  '4 blocks of 4': Array(4).fill([2, 2]),
  'blocks of 3, 4 and 5': [
    [1, 2],
    [2, 2],
    [3, 2],
  ],
}

const normal: Distribution = (random) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** All with a mean of 0, so that a factor does not move it. */
const distributions: Record<string, Distribution> = {
  normal,
  lognormal: (random) => Math.exp(normal(random)) - Math.exp(0.5),
  counts: (random) => Array.from({ length: 5 }, random).filter((one) => one < 0.2).length - 1,
}

/** How much wider than the other one an arm is. Alike arms can be exchanged, others cannot. */
const widths: Record<string, Partial<Record<Arm, number>>> = {
  alike: {},
  'intervention 3 times as wide': { intervention: 3 },
  'control 3 times as wide': { control: 3 },
}

const designs = Object.keys(widths).flatMap((width) =>
  Object.keys(distributions).flatMap((distribution) =>
    Object.keys(shapes).map((shape) => ({ shape, distribution, width, isHeld: width === 'alike' })),
  ),
)
type Design = (typeof designs)[number]
/** Designs for which the test promises nothing: they are only reported. */
const beside = ['6 + 6', '5 + 10', '4 blocks of 4']

/** In which share of experiments without an effect there seems to be one. */
function falsePositives(
  experiments: number,
  seed: string,
  { shape, distribution, width }: Design,
): number {
  const random = randomFrom(`${seed}\n${shape}\n${distribution}\n${width}`)
  const draw = distributions[distribution] ?? normal
  let found = 0
  for (let i = 0; i < experiments; i++) {
    const units = (shapes[shape] ?? []).flatMap(([intervention, control], b): Unit[] =>
      [...Array(intervention + control).keys()].map((unit) => {
        const arm = unit < intervention ? 'intervention' : 'control'
        // Blocks lie far apart.
        return { arm, block: `${b}`, value: 10 * b + draw(random) * (widths[width]?.[arm] ?? 1) }
      }),
    )
    const reference = referenceOf(trialOf(units), { ...limits, seed: `${seed}\n${i}` })
    if (twoSidedP(reference, 0) <= significance) found++
  }
  return found / experiments
}

/** Whether the test keeps what it promises; says so. */
function look(experiments: number, seed: string): boolean {
  let isKept = true
  for (const design of designs.filter(({ isHeld, shape }) => isHeld || beside.includes(shape))) {
    const share = falsePositives(experiments, seed, design)
    const isTooMuch = share > significance + allowance
    if (design.isHeld && isTooMuch) isKept = false
    const verdict = design.isHeld ? (isTooMuch ? 'TOO MANY' : 'ok') : 'beside'
    const cells = [design.shape.padEnd(20), design.distribution.padEnd(9), design.width.padEnd(28)]
    console.log(`${cells.join('  ')}  ${(100 * share).toFixed(2).padStart(5)} %  ${verdict}`)
  }
  return isKept
}

function main(): boolean {
  const { values } = parseArgs({
    options: {
      experiments: { type: 'string', default: '10000' },
      seed: { type: 'string', default: 'null' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(usage)
    return true
  }
  const experiments = Number(values.experiments)
  if (!Number.isInteger(experiments) || experiments < 1) {
    throw new Error('--experiments must be a whole number, at least 1')
  }
  return look(experiments, values.seed)
}

try {
  process.exitCode = main() ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
