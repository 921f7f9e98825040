import type { Schema } from '../../shared/forms/schema.js'
import { service } from '../../shared/service.js'

const experiments = '/api/v1/admin/simulation/team-drills/experiments'
const experiment = `${experiments}/{experiment_id}` as const
const at = (experiment_id: string) => ({ params: { path: { experiment_id } } })

/** How many experiments a list shows, the newest first. */
export const mostExperiments = 200

export async function readExperiments(): Promise<Schema<'ListedExperiment'>[]> {
  const { data } = await service.api.GET(experiments, {
    params: { query: { limit: mostExperiments } },
  })
  return data
}

export async function readExperiment(id: string): Promise<Schema<'Experiment'>> {
  const { data } = await service.api.GET(experiment, at(id))
  return data
}

export async function changeExperiment(
  id: string,
  body: Schema<'ExperimentUpdate'>,
): Promise<void> {
  await service.api.PUT(experiment, { ...at(id), body })
}

export async function readExperimentReadiness(id: string): Promise<Schema<'ExperimentReadiness'>> {
  const { data } = await service.api.GET(`${experiment}/readiness`, at(id))
  return data
}

export async function assignSessions(id: string, body: Schema<'SessionAssignment'>): Promise<void> {
  await service.api.POST(`${experiment}/assign-sessions`, { ...at(id), body })
}

export async function registerPlan(
  id: string,
  body: Schema<'AnalysisPlanRegistration'>,
): Promise<void> {
  await service.api.PUT(`${experiment}/analysis-plan`, { ...at(id), body })
}

export async function readResults(id: string): Promise<Schema<'ExperimentResults'>> {
  const { data } = await service.api.GET(`${experiment}/results`, at(id))
  return data
}

export async function conclude(id: string, body: Schema<'ExperimentConclusion'>): Promise<void> {
  await service.api.POST(`${experiment}/conclude`, { ...at(id), body })
}

export async function exportData(
  id: string,
  format: 'csv' | 'ndjson',
  part: 'rows' | 'codebook',
): Promise<Blob> {
  const { data } = await service.api.GET(`${experiment}/data`, {
    params: { path: { experiment_id: id }, query: { format, part, bom: true } },
    parseAs: 'blob',
  })
  return data
}
