import { parentPort, workerData } from 'node:worker_threads'
import type { Analysis } from './analysis.js'
import { compareArms } from './comparison.js'

const { outcomes, options }: Analysis = workerData

parentPort?.postMessage(outcomes.map(({ units }) => compareArms(units, options)))
