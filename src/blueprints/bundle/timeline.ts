import { type Arm, type Line, listOf, type When, type Words } from '../catalogue/entries.js'
import { type Member, speakerIn } from './cast.js'
import { fillPlaceholders, placeholderValues } from './placeholders.js'
import type { Cue, Origin, Script } from './script.js'
import { holds, wording } from './wording.js'
import { hourAfter, hourOf, type Moment, nextAtWork, workingHoursAfter } from './working-time.js'

/** Something said, by whom and when. `key` is the same for its counterpart in the other arm. */
export type Utterance = {
  key: string
  origin: Origin
  member: Member
  text: string
  at: Moment
}
export type Post = Utterance & { line: Cue['line']; channel: string; replies: Utterance[] }

/** Where lines are spoken: by whom, in which arm, and when those were that others come after. */
interface Stage {
  script: Script
  cast: Member[]
  arm: Arm
  words: Map<string, string>
  moments: Map<string, Moment>
}

/** Who says what, and when, in one arm. A line is said only if all that it comes after is said. */
export function timelineOf(script: Script, cast: Member[], arm: Arm): Post[] {
  const { scenario, effects } = script
  const words = placeholderValues(scenario, cast, effects.org_culture.address)
  const stage = { script, cast, arm, words, moments: new Map([['start', 0]]) }
  return inOrderOfCause(script.cues)
    .flatMap((cue) => speak(stage, cue) ?? [])
    .sort((one, other) => one.at - other.at)
}

function speak(stage: Stage, cue: Cue): Post | undefined {
  const { origin, line } = cue
  const causes = listOf(line.after).map((id) => stage.moments.get(id))
  if (!isSaid(stage, line) || causes.some((moment) => moment === undefined)) return undefined
  const speakers = [line, ...(line.otherwise ?? [])]
  const [said] = speakers.flatMap(({ from, text }) => say(stage, from, text) ?? [])
  if (!said) return undefined
  const cause = Math.max(...causes.map((moment) => moment ?? 0))
  const at = momentOf(line, cause, stage.script.effects.pressure_model.pace, said.member)
  const channel = line.channel === 'area' ? said.member.team.channel : line.channel
  stage.moments.set(line.id, at)
  const replies = repliesTo(stage, cue, { member: said.member, at })
  return { key: line.id, origin, line, channel, at, ...said, replies }
}

/** The thread under a line: without those who are away, or who would follow themselves. */
function repliesTo(
  stage: Stage,
  { line, replies }: Cue,
  root: Pick<Utterance, 'member' | 'at'>,
): Utterance[] {
  const { reply_delay } = stage.script.effects.pressure_model
  const thread: Utterance[] = []
  const unsaid = new Set<string>()
  for (const [i, { origin, reply }] of replies.entries()) {
    const before = thread.at(-1) ?? root
    const said = isSaid(stage, reply) ? say(stage, reply.from, reply.text) : undefined
    if (!said || said.member === before.member || unsaid.has(reply.after ?? '')) {
      if (reply.id) unsaid.add(reply.id)
      continue
    }
    const wanted = Math.max(root.at + Math.round(reply.minutes * reply_delay), before.at + 1)
    const at = nextAtWork(wanted, said.member.hours, 5)
    if (reply.id) stage.moments.set(reply.id, at)
    thread.push({ key: `${line.id}/${i}`, origin, at, ...said })
  }
  return thread
}

const isSaid = ({ arm, script }: Stage, part: { arm?: Arm; when?: When }): boolean =>
  (part.arm ?? arm) === arm && holds(part.when, script.models)

function say({ script, cast, arm, words }: Stage, from: string, text: Words) {
  const member = speakerIn(cast, from)
  const worded = wording(text, arm, script.scenario, script.models)
  const said = worded === undefined ? undefined : fillPlaceholders(worded, words)
  return member && said !== undefined ? { member, text: said } : undefined
}

/** A whole hour in which the speaker works, after the cause, however dense the rest is. */
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

/** Each line behind all that it comes after, otherwise as they are written. */
function inOrderOfCause(cues: Cue[]): Cue[] {
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
