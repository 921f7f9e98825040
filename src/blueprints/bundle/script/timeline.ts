import { beatsIn, conditionsOf, joinConditions } from '../../catalogue/decisions/conditions.js'
import { type Arm, listOf } from '../../catalogue/entries.js'
import {
  hourAfter,
  hourOf,
  type Moment,
  nextAtWork,
  workingHoursAfter,
} from '../../catalogue/faults/working-time.js'
import type { Member } from '../cast.js'
import { placeholderValues } from '../placeholders.js'
import { sortByCause } from './causes.js'
import type { Cue, Script } from './script.js'
import { repliesTo } from './thread.js'
import { type ArmTimeline, isPosted, type Post, say } from './utterances.js'

/**
 * The posts of one arm on all paths, sorted by time. A line is posted only if all lines it comes after
 * are, and if the decisions in its `only_if` are asked.
 */
export function timelineOf(script: Script, cast: Member[], arm: Arm): Post[] {
  const { scenario, effects } = script
  const timeline: ArmTimeline = {
    script,
    cast,
    arm,
    words: placeholderValues(scenario, cast, effects.org_culture.address),
    moments: new Map([['start', 0]]),
    conditions: new Map(),
    asks: new Map(),
    deadlines: new Map(),
  }
  return sortByCause(script.cues)
    .flatMap((cue) => post(timeline, cue) ?? [])
    .sort((one, other) => one.at - other.at)
}

function post(timeline: ArmTimeline, cue: Cue): Post | undefined {
  const { origin, line } = cue
  const { moments, asks } = timeline
  const causes = listOf(line.after)
  if (!isPosted(timeline, line) || !causes.every((id) => moments.has(id))) return undefined
  const inherited = causes.flatMap((id) => timeline.conditions.get(id) ?? [])
  const conditions = joinConditions([...inherited, conditionsOf(line)])
  if (!conditions.only_if.every(({ beat }) => asks.has(beat))) return undefined
  const speakers = [line, ...(line.otherwise ?? [])]
  const [spoken] = speakers.flatMap(({ from, text }) => say(timeline, from, text) ?? [])
  if (!spoken) return undefined
  const at = momentOf(timeline, { line, conditions, ...spoken })
  const channel = line.channel === 'area' ? spoken.member.team.channel : line.channel
  const root = { key: line.id, origin, line, channel, at, conditions, ...spoken }
  keep(timeline, root)
  return { ...root, replies: repliesTo(timeline, cue, root) }
}

function keep(timeline: ArmTimeline, { line, at, conditions }: Omit<Post, 'replies'>): void {
  const { moments, asks, deadlines } = timeline
  const { id, kind, beat, fallback_for } = line
  moments.set(id, at)
  timeline.conditions.set(id, conditions)
  if (kind === 'decision_point' && beat) {
    asks.set(beat, [...(asks.get(beat) ?? []), conditions])
    if (!deadlines.has(beat)) deadlines.set(beat, at)
  }
  if (fallback_for) deadlines.set(fallback_for, at)
}

/**
 * The first whole hour after the causes in which the speaker works. An acknowledgement comes at the
 * deadline of its decision, other lines after the deadlines of all decisions on which they depend.
 */
function momentOf(
  timeline: ArmTimeline,
  { line, conditions, member }: Pick<Post, 'line' | 'conditions' | 'member'>,
): Moment {
  const { moments, deadlines, script } = timeline
  const { kind, after, hours } = line
  const cause = Math.max(...listOf(after).map((id) => moments.get(id) ?? 0))
  const deadlineOf = (beat: string) => deadlines.get(beat) ?? 0
  const isHistory = kind === 'history'
  const from = isHistory ? cause : Math.max(cause, 0)
  const { pace } = script.effects.pressure_model
  const wanted = hourOf(workingHoursAfter(from, isHistory ? hours : hours * pace))
  const earliest = hours > 0 ? Math.max(wanted, hourAfter(cause)) : wanted
  const { acknowledges } = conditions
  const wished = acknowledges
    ? Math.max(deadlineOf(acknowledges), hourAfter(cause))
    : Math.max(earliest, ...beatsIn(conditions).map((beat) => hourAfter(deadlineOf(beat))))
  return nextAtWork(wished, member.hours, 60)
}
