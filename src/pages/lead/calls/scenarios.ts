import type { Schema } from '../../shared/forms/schema.js'
import { service } from '../../shared/service.js'

const simulation = '/api/v1/admin/simulation'
const blueprints = `${simulation}/scenario-blueprints` as const

export async function readBlueprints(): Promise<Schema<'BlueprintList'>> {
  const { data } = await service.api.GET(blueprints)
  return data.sort((a, b) => a.label.localeCompare(b.label))
}

/** The scenarios by their keys. If they cannot be read, the keys have to do. */
export async function readBlueprintsByKey(): Promise<Map<string, Schema<'ListedBlueprint'>>> {
  const all = await readBlueprints().catch(() => [])
  return new Map(all.map((one) => [one.scenario_type, one]))
}

export async function readBlueprint(scenario_type: string): Promise<Schema<'Blueprint'>> {
  const { data } = await service.api.GET(`${blueprints}/{scenario_type}`, {
    params: { path: { scenario_type } },
  })
  return data
}

/** The latest setup of each scenario that is in place. */
export async function readSetups(): Promise<Map<string, Schema<'QuickSetupRecord'>>> {
  const { data } = await service.api.GET(`${simulation}/quick-setups`, {
    params: { query: { limit: 500 } },
  })
  const inPlace = data.filter((one) => one.rolled_back_at === null).reverse()
  return new Map(inPlace.map((one) => [one.scenario_type, one]))
}

export async function previewSetup(body: Schema<'QuickSetup'>) {
  const { data } = await service.api.POST(`${blueprints}/quick-setup/preview`, { body })
  return data
}

/** What a setup would do. */
export type SetupPreview = Awaited<ReturnType<typeof previewSetup>>

export async function applySetup(body: Schema<'QuickSetup'>): Promise<Schema<'QuickSetupResult'>> {
  const { data } = await service.api.POST(`${blueprints}/quick-setup/apply`, { body })
  return data
}

/** A setup with what it created, replaced and removed. */
export async function readSetup(setup_id: string): Promise<Schema<'QuickSetupDetails'>> {
  const { data } = await service.api.GET(`${simulation}/quick-setups/{setup_id}`, {
    params: { path: { setup_id } },
  })
  return data
}

export async function undoSetup(setup_id: string): Promise<void> {
  await service.api.POST(`${simulation}/quick-setups/{setup_id}/rollback`, {
    params: { path: { setup_id } },
  })
}
