import {
  type Conditions,
  conditionsOf,
  holdOn,
  joinConditions,
} from '../../catalogue/decisions/conditions.js'
import { pathsThrough } from '../../catalogue/decisions/paths.js'
import { nextAtWork } from '../../catalogue/faults/working-time.js'
import type { Member } from '../cast.js'
import type { Cue } from './script.js'
import { type ArmTimeline, isPosted, type Post, say, type Utterance } from './utterances.js'

/**
 * The thread under a line. Leaves out absent members, and members who would answer themselves on a
 * path.
 */
export function repliesTo(
  timeline: ArmTimeline,
  cue: Cue,
  root: Omit<Post, 'replies'>,
): Utterance[] {
  const { reply_delay } = timeline.script.effects.pressure_model
  const thread: Utterance[] = []
  const speakersBefore = speakersIn(timeline, cue, root, thread)
  const leftOut = new Set<string>()
  const own = new Map<string, Conditions>()
  for (const [i, { origin, reply }] of cue.replies.entries()) {
    const answered = own.get(reply.after ?? '') ?? conditionsOf({})
    const conditions = joinConditions([answered, conditionsOf(reply)])
    const said = isPosted(timeline, reply) ? say(timeline, reply.from, reply.text) : undefined
    if (
      !said ||
      speakersBefore(conditions).includes(said.member) ||
      leftOut.has(reply.after ?? '')
    ) {
      if (reply.id) leftOut.add(reply.id)
      continue
    }
    const delay = Math.round(reply.minutes * reply_delay)
    const wanted = Math.max(root.at + delay, (thread.at(-1) ?? root).at + 1)
    const at = nextAtWork(wanted, said.member.hours, 5)
    if (reply.id) {
      own.set(reply.id, conditions)
      timeline.moments.set(reply.id, at)
      timeline.conditions.set(reply.id, joinConditions([root.conditions, conditions]))
    }
    thread.push({ key: `${root.key}/${i}`, origin, at, conditions, ...said })
  }
  return thread
}

/**
 * Returns what finds those who speak last before a reply, on any of the paths on which the reply is
 * said.
 */
function speakersIn(
  timeline: ArmTimeline,
  { replies }: Cue,
  root: Omit<Post, 'replies'>,
  thread: Utterance[],
): (conditions: Conditions) => Member[] {
  const depends = replies.some(({ reply }) => reply.only_if || reply.unless)
  const decisions = (depends && timeline.script.scenario.decision_points) || []
  const paths = pathsThrough(decisions, timeline.asks).filter((path) =>
    holdOn(root.conditions, decisions, path),
  )
  return (conditions) =>
    paths
      .filter((path) => holdOn(conditions, decisions, path))
      .map((path) => {
        const before = thread.findLast((one) => holdOn(one.conditions, decisions, path))
        return (before ?? root).member
      })
}
