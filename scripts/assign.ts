import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Schema } from '../src/contract.js'
import { algorithm, assign } from '../src/experiments/assignment/assignment.js'
import { type Arms, haveSameArms } from '../src/experiments/design.js'

const usage = `Repeats the assignment of an experiment's sessions: npm run assign [-- FILE]

  FILE   the experiment as getExperiment answers it, in JSON; without one it is read from stdin

Prints the arms as JSON. Ends with 0 only when they are those of the experiment, with 1 when they
are others, with 2 when there is no experiment, or none whose sessions were assigned at random.`

type Experiment = Arms & { assignment: Schema<'Assignment'> }

/** Whether the experiment has the arms that its record leads to; says so, and prints these. */
function repeat(): boolean {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean' } },
    allowPositionals: true,
  })
  if (values.help) {
    console.log(usage)
    return true
  }
  const experiment = readExperiment(readFileSync(positionals[0] ?? 0, 'utf8'))
  const { seed, blocks } = experiment.assignment
  const arms = assign(seed, blocks)
  console.log(JSON.stringify(arms, null, 2))
  const isSame = haveSameArms(arms, experiment)
  console.error(isSame ? 'The arms are those of the experiment.' : 'The arms are OTHERS.')
  return isSame
}

function readExperiment(text: string): Experiment {
  const experiment: unknown = JSON.parse(text)
  if (!isObject(experiment) || !hasArms(experiment)) throw new Error('This is no experiment.')
  const { assignment } = experiment
  if (!isObject(assignment)) throw new Error('Its sessions were not assigned at random.')
  if (assignment.algorithm !== algorithm) {
    throw new Error(`The algorithm ${assignment.algorithm} is not known here.`)
  }
  if (!isRecord(assignment)) throw new Error('The record of its assignment is incomplete.')
  return { ...experiment, assignment }
}

type Unknown<T> = { [Key in keyof T]?: unknown }
type Answered = Unknown<Experiment>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

const hasArms = (value: Answered): value is Answered & Arms =>
  areTexts(value.control_session_ids) && areTexts(value.intervention_session_ids)

const isRecord = (value: Unknown<Schema<'Assignment'>>): value is Schema<'Assignment'> =>
  typeof value.seed === 'string' && Array.isArray(value.blocks) && value.blocks.every(isBlock)

const isBlock = (block: unknown) =>
  isObject(block) &&
  (block.name === null || typeof block.name === 'string') &&
  areTexts(block.session_ids)

try {
  process.exitCode = repeat() ? 0 : 1
} catch (error) {
  console.error(`Not repeated: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 2
}
