import type { Catalogue, ModelField } from './catalogue/entries.js'

/** What a scenario is called: its label, or its key as words if the catalogue does not have it. */
export const scenarioLabel = ({ scenarios }: Catalogue, scenario_name: string): string =>
  scenarios.get(scenario_name)?.label ?? asWords(scenario_name)

/** What a value of a model is called, in the same way. */
export const modelLabel = ({ models }: Catalogue, field: ModelField, value: string): string =>
  models[field].find((one) => one.value === value)?.label ?? asWords(value)

/** Other names than keys stay as people wrote them. */
const asWords = (key: string) =>
  /^[a-z0-9_]+$/.test(key) ? key.slice(0, 1).toUpperCase() + key.slice(1).replaceAll('_', ' ') : key
