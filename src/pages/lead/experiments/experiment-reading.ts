import { readExperiment, readExperimentReadiness, readResults } from '../calls/experiments.js'
import { readBlueprint } from '../calls/scenarios.js'
import { readSessions } from '../calls/sessions.js'

/** Reads all that the page of an experiment shows. */
export async function readAll(id: string) {
  const [experiment, results, readiness, sessions] = await Promise.all([
    readExperiment(id),
    readResults(id),
    readExperimentReadiness(id),
    readSessions(),
  ])
  const scenario_type = experiment.metadata.scenario_type
  const blueprint = typeof scenario_type === 'string' ? await readBlueprint(scenario_type) : null
  return { experiment, results, readiness, sessions, blueprint }
}

export type ExperimentRead = Awaited<ReturnType<typeof readAll>>
