import { type Arm, type Line, listOf, type When, type Words } from '../catalogue/entries.js'
import {
  hourAfter,
  hourOf,
  type Moment,
  nextAtWork,
  workingHoursAfter,
} from '../catalogue/working-time.js'
import { type Member, speakerIn } from './cast.js'
import { fillPlaceholders, placeholderValues } from './placeholders.js'
import type { Cue, Origin, Script } from './script.js'
import { holds, wording } from './wording.js'

/** A post or a reply with its speaker and time. The counterpart in the other arm has the same `key`. */
export type Utterance = {
  key: string
  origin: Origin
  member: Member
  text: string
  at: Moment
}
export type Post = Utterance & { line: Cue['line']; channel: string; replies: Utterance[] }

/** One arm of a cast. `moments` are the times of the posts so far, by the line's id. */
interface ArmTimeline {
  script: Script
  cast: Member[]
  arm: Arm
  words: Map<string, string>
  moments: Map<string, Moment>
}

/** The posts of one arm, sorted by time. A line is posted only if all lines it comes after are. */
export function timelineOf(script: Script, cast: Member[], arm: Arm): Post[] {
  const { scenario, effects } = script
  const words = placeholderValues(scenario, cast, effects.org_culture.address)
  const timeline: ArmTimeline = { script, cast, arm, words, moments: new Map([['start', 0]]) }
  return sortByCause(script.cues)
    .flatMap((cue) => post(timeline, cue) ?? [])
    .sort((one, other) => one.at - other.at)
}

function post(timeline: ArmTimeline, cue: Cue): Post | undefined {
  const { origin, line } = cue
  const causes = listOf(line.after).map((id) => timeline.moments.get(id))
  if (!isPosted(timeline, line) || causes.some((moment) => moment === undefined)) return undefined
  const speakers = [line, ...(line.otherwise ?? [])]
  const [spoken] = speakers.flatMap(({ from, text }) => say(timeline, from, text) ?? [])
  if (!spoken) return undefined
  const cause = Math.max(...causes.map((moment) => moment ?? 0))
  const at = momentOf(line, cause, timeline.script.effects.pressure_model.pace, spoken.member)
  const channel = line.channel === 'area' ? spoken.member.team.channel : line.channel
  timeline.moments.set(line.id, at)
  const replies = repliesTo(timeline, cue, { member: spoken.member, at })
  return { key: line.id, origin, line, channel, at, ...spoken, replies }
}

/** The thread under a line. Leaves out absent members, and members who would answer themselves. */
function repliesTo(
  timeline: ArmTimeline,
  { line, replies }: Cue,
  root: Pick<Utterance, 'member' | 'at'>,
): Utterance[] {
  const { reply_delay } = timeline.script.effects.pressure_model
  const thread: Utterance[] = []
  const leftOut = new Set<string>()
  for (const [i, { origin, reply }] of replies.entries()) {
    const before = thread.at(-1) ?? root
    const said = isPosted(timeline, reply) ? say(timeline, reply.from, reply.text) : undefined
    if (!said || said.member === before.member || leftOut.has(reply.after ?? '')) {
      if (reply.id) leftOut.add(reply.id)
      continue
    }
    const wanted = Math.max(root.at + Math.round(reply.minutes * reply_delay), before.at + 1)
    const at = nextAtWork(wanted, said.member.hours, 5)
    if (reply.id) timeline.moments.set(reply.id, at)
    thread.push({ key: `${line.id}/${i}`, origin, at, ...said })
  }
  return thread
}

const isPosted = ({ arm, script }: ArmTimeline, line: { arm?: Arm; when?: When }): boolean =>
  (line.arm ?? arm) === arm && holds(line.when, script.models)

function say({ script, cast, arm, words }: ArmTimeline, from: string, text: Words) {
  const member = speakerIn(cast, from)
  const template = wording(text, { arm, presets: script.scenario.models, models: script.models })
  const filled = template === undefined ? undefined : fillPlaceholders(template, words)
  return member && filled !== undefined ? { member, text: filled } : undefined
}

/** The first whole hour after the cause in which the speaker works. */
function momentOf(
  { kind, hours }: Line,
  cause: Moment,
  pace: number,
  { hours: own }: Member,
): Moment {
  const isHistory = kind === 'history'
  const from = isHistory ? cause : Math.max(cause, 0)
  const wanted = hourOf(workingHoursAfter(from, isHistory ? hours : hours * pace))
  const earliest = hours > 0 ? Math.max(wanted, hourAfter(cause)) : wanted
  return nextAtWork(earliest, own, 60)
}

/** Sorts lines so that each one follows its causes. Otherwise the order of the files stays. */
function sortByCause(cues: Cue[]): Cue[] {
  const byId = new Map<string, Cue>()
  for (const cue of cues) {
    byId.set(cue.line.id, cue)
    for (const { reply } of cue.replies) if (reply.id) byId.set(reply.id, cue)
  }
  const ordered = new Set<Cue>()
  const visit = (cue: Cue, above: ReadonlySet<Cue>): void => {
    if (ordered.has(cue) || above.has(cue)) return
    for (const id of listOf(cue.line.after)) {
      const cause = byId.get(id)
      if (cause) visit(cause, new Set(above).add(cue))
    }
    ordered.add(cue)
  }
  for (const cue of cues) visit(cue, new Set())
  return [...ordered]
}
