import type { Conditions } from '../../catalogue/decisions/conditions.js'
import type { Arm, When, Words } from '../../catalogue/entries.js'
import type { Moment } from '../../catalogue/faults/working-time.js'
import { type Member, speakerIn } from '../cast.js'
import { fillPlaceholders } from '../placeholders.js'
import type { Cue, Origin, Script } from './script.js'
import { holds, wording } from './wording.js'

/** A post or a reply with its speaker and time. The counterpart in the other arm has the same `key`. */
export type Utterance = {
  key: string
  origin: Origin
  member: Member
  text: string
  at: Moment
  /** Those of a post include the conditions of its causes. Those of a reply leave out its post. */
  conditions: Conditions
}
export type Post = Utterance & { line: Cue['line']; channel: string; replies: Utterance[] }

/** One arm of a cast, with what is known of its posts and replies so far. */
export interface ArmTimeline {
  script: Script
  cast: Member[]
  arm: Arm
  words: Map<string, string>
  /** The times, by the ids of lines and replies. */
  moments: Map<string, Moment>
  /** The conditions, by the ids of lines and replies. */
  conditions: Map<string, Conditions>
  /** The conditions under which decisions are asked, by their beats. */
  asks: Map<string, Conditions[]>
  /** The times at which decisions lapse or, without a fallback, are asked, by their beats. */
  deadlines: Map<string, Moment>
}

/** Whether the arm and the models have a line. */
export const isPosted = ({ arm, script }: ArmTimeline, line: { arm?: Arm; when?: When }): boolean =>
  (line.arm ?? arm) === arm && holds(line.when, script.models)

/** The text with its speaker. Returns undefined when the speaker, or a person in the text, is absent. */
export function say({ script, cast, arm, words }: ArmTimeline, from: string, text: Words) {
  const member = speakerIn(cast, from)
  const template = wording(text, { arm, presets: script.scenario.models, models: script.models })
  const filled = template === undefined ? undefined : fillPlaceholders(template, words)
  return member && filled !== undefined ? { member, text: filled } : undefined
}
