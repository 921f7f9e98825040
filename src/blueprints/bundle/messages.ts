import type { Effects, Line, Scenario } from '../catalogue/entries.js'
import type { Member } from './cast.js'
import { type PlannedMessage, stageOf } from './timing.js'

type Stage = ReturnType<typeof stageOf>

/** Everything that is said, in the order in which it is said. */
export function messagesOf(scenario: Scenario, cast: Member[], effects: Effects): PlannedMessage[] {
  const stage = stageOf(scenario, cast, effects)
  const { org_culture, team_topology, knowledge_model, relationship_model } = effects
  const { pressure_model, meeting_model, evaluation_model, consequence_model } = effects
  const { pace: stretch, replies_per_message: limit } = pressure_model
  const script = scenario.story.map((line) => withManners(line, relationship_model))
  const story = stage.play(script, { stretch, limit })
  const told = [org_culture, team_topology, knowledge_model, relationship_model]
  const dated = [pressure_model, meeting_model, evaluation_model]

  return [
    ...story,
    ...told.flatMap(({ lines }) => stage.play(lines, { stretch })),
    ...dated.flatMap(({ lines }) => stage.play(lines)),
    ...followUps(stage, story, consequence_model),
    ...voices(stage, cast, stretch),
  ].sort((a, b) => a.message.offset_hours - b.message.offset_hours || a.at - b.at)
}

/** Whoever asks for help in the story is answered in the manner of the relationship model. */
function withManners(line: Line, { manners }: Effects['relationship_model']): Line {
  if (line.anchor !== 'request') return line
  const last = line.replies?.at(-1)?.after ?? 0
  const added = manners.map((manner, i) => ({ ...manner, after: last + 6 * (i + 1) }))
  return { ...line, replies: [...(line.replies ?? []), ...added] }
}

/** What an incident brings, a fixed number of hours after it, however dense the rest is. */
function followUps(
  stage: Stage,
  story: PlannedMessage[],
  model: Effects['consequence_model'],
): PlannedMessage[] {
  return model.follow_ups.flatMap(({ anchor, after_hours, ...line }) => {
    const incident = story.find((scene) => scene.anchor === anchor)
    if (!incident) return []
    const { offset_hours } = incident.message
    const spoken = stage.play([{ ...line, at: incident.at, kind: 'consequence', beat: anchor }])
    return spoken.map(({ channel, at, message }) => ({
      channel,
      at,
      message: { ...message, offset_hours: offset_hours + after_hours },
    }))
  })
}

function voices(stage: Stage, cast: Member[], stretch: number): PlannedMessage[] {
  return cast.flatMap((member) => {
    const { voice, team } = member
    if (!voice) return []
    const channel = voice.channel === 'area' ? team.channel : voice.channel
    const replies = voice.reply ? [voice.reply] : []
    return stage.speak(member, { ...voice, channel, kind: 'voice', replies }, { stretch })
  })
}
