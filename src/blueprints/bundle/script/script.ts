import {
  type Catalogue,
  type Effects,
  idsOf,
  type Line,
  listOf,
  type Model,
  type ModelField,
  type Models,
  modelFields,
  type Reply,
  type Scenario,
} from '../../catalogue/entries.js'

/** Where a line comes from: the scenario's story, its voices, or a model. */
export type Origin = 'story' | 'voices' | ModelField

export type Cue = { origin: Origin; line: Omit<Line, 'replies'>; replies: CuedReply[] }
export type CuedReply = { origin: Origin; reply: Reply }

export type Script = {
  catalogue_version: string
  scenario: Scenario
  models: Models
  effects: Effects
  cues: Cue[]
}

export const modelOf = <Field extends ModelField>(
  { models }: Catalogue,
  field: Field,
  value: string,
): Model<Field> | undefined => models[field].find((model) => model.value === value)

/** All lines of a scenario with these models, for every possible cast and for both arms. */
export function scriptOf(catalogue: Catalogue, scenario: Scenario, models: Models): Script {
  const chosen = modelFields.flatMap((field) => {
    if (scenario.shared_model_lines === false) return []
    const model = modelOf<ModelField>(catalogue, field, models[field])
    return model ? [{ field, model }] : []
  })
  const added = chosen.flatMap(({ field, model }) =>
    (model.replies ?? []).map(({ to, ...reply }) => ({ to, origin: field, reply })),
  )
  const cue = (origin: Origin, { replies = [], ...line }: Line): Cue => ({
    origin,
    line,
    replies: [
      ...replies.map((reply) => ({ origin, reply })),
      ...added.filter(({ to }) => to === line.id && origin === 'story'),
    ].sort((one, other) => one.reply.minutes - other.reply.minutes),
  })
  return {
    catalogue_version: catalogue.version,
    scenario,
    models,
    effects: effectsOf(catalogue, models),
    cues: [
      ...scenario.story.map((line) => cue('story', line)),
      ...chosen.flatMap(({ field, model }) =>
        withPrefix(field, model.lines).map((line) => cue(field, line)),
      ),
      ...(scenario.voices ?? []).map((line) => cue('voices', line)),
    ],
  }
}

/** Prefixes the ids of a model's lines with its field: a story may have lines with the same ids. */
function withPrefix(field: ModelField, lines: Line[]): Line[] {
  const own = new Set(idsOf(lines))
  const name = (id: string) => (own.has(id) ? `${field}/${id}` : id)
  return lines.map((line) => ({
    ...line,
    id: name(line.id),
    after: listOf(line.after).map(name),
    replies: line.replies?.map((reply) => ({
      ...reply,
      ...(reply.id && { id: name(reply.id) }),
      ...(reply.after && { after: name(reply.after) }),
    })),
  }))
}

function effectsOf(catalogue: Catalogue, models: Models): Effects {
  const effect = <Field extends ModelField>(field: Field): Effects[Field] =>
    modelOf(catalogue, field, models[field])?.effects ?? catalogue.neutral[field]
  return {
    org_culture: effect('org_culture'),
    pressure_model: effect('pressure_model'),
    team_topology: effect('team_topology'),
    meeting_model: effect('meeting_model'),
    evaluation_model: effect('evaluation_model'),
    relationship_model: effect('relationship_model'),
    consequence_model: effect('consequence_model'),
    knowledge_model: effect('knowledge_model'),
  }
}
