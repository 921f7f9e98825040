import { joinArms, type Scene } from '../../src/blueprints/bundle/arms.js'
import type { Member } from '../../src/blueprints/bundle/cast.js'
import { castScript } from '../../src/blueprints/bundle/compose.js'
import { drillMinutes } from '../../src/blueprints/bundle/drill.js'
import type { Script } from '../../src/blueprints/bundle/script/script.js'
import { timelineOf } from '../../src/blueprints/bundle/script/timeline.js'
import type { Post, Utterance } from '../../src/blueprints/bundle/script/utterances.js'
import type { Path } from '../../src/blueprints/catalogue/decisions/conditions.js'
import {
  type Arm,
  type Catalogue,
  type ModelField,
  type Models,
  modelFields,
  type Scenario,
} from '../../src/blueprints/catalogue/entries.js'

export const sizes = [1, 2, 3, 6, 12, 50]
export const arms: Arm[] = ['control', 'intervention']

/** A scenario as one arm of one team reads it, on all paths or on one. */
export interface View {
  scenario: Scenario
  models: Models
  /** The models that differ from the scenario's own, in words. */
  changed: string
  size: number
  arm: Arm
  script: Script
  cast: Member[]
  posts: Post[]
  /** The posts of all paths. */
  all: Post[]
  path?: Path
}

export type Changed = Partial<Models>

/** A catalogue with only this scenario, which may be a changed one. */
export const only = (catalogue: Catalogue, scenario: Scenario): Catalogue => {
  return { ...catalogue, scenarios: new Map([[scenario.scenario_type, scenario]]) }
}

export const requestFor = ({ scenario_type }: Scenario, team_size: number, models: Changed) => {
  const organization_id = '019cbb3e-5c00-7a10-8e2f-1d2c3b4a5f00'
  return { organization_id, scenario_type, team_size, models }
}

export const castFor = (catalogue: Catalogue, scenario: Scenario, size: number, models: Changed) =>
  castScript(only(catalogue, scenario), requestFor(scenario, size, models))

export function viewsOf(
  catalogue: Catalogue,
  scenario: Scenario,
  size: number,
  models: Changed = {},
): View[] {
  const { script, cast } = castFor(catalogue, scenario, size, models)
  const changed = Object.entries(models)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ')
  return arms.map((arm) => {
    const posts = timelineOf(script, cast, arm)
    return { scenario, models: script.models, changed, size, arm, script, cast, posts, all: posts }
  })
}

/** The minute of each post in a drill of ninety minutes, by its key. */
export function minutesOf([control, intervention]: View[]): Map<string, number> {
  const [one, other] = [control?.all ?? [], intervention?.all ?? []]
  const scenes: Scene[] = joinArms({ control: one, intervention: other })
  return control ? drillMinutes(control.scenario, scenes) : new Map()
}

/** Each value that is not the scenario's own, and each pair of such values. */
export function* variations({ models }: Catalogue, presets: Models): Generator<Changed> {
  const others = (field: ModelField) =>
    models[field].map(({ value }) => value).filter((value) => value !== presets[field])
  for (const [i, field] of modelFields.entries()) {
    for (const value of others(field)) {
      yield { [field]: value }
      for (const second of modelFields.slice(i + 1)) {
        for (const other of others(second)) yield { [field]: value, [second]: other }
      }
    }
  }
}

/** All posts and their replies. */
export const saidIn = (posts: Post[]): Utterance[] =>
  posts.flatMap((post) => [post, ...post.replies])

export const textsIn = (posts: Post[]): string[] => saidIn(posts).map(({ text }) => text)

/** The posts that the control arm reads. */
export const controlOf = (...options: Parameters<typeof viewsOf>): Post[] =>
  viewsOf(...options)[0]?.posts ?? []
