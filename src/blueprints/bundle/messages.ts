import type { Scenario } from '../catalogue/entries.js'
import type { Scene } from './arms.js'
import type { BundleMessage, BundleReply } from './bundle.js'
import { drillMinutes } from './drill.js'

type ScenePost = Scene | Scene['replies'][number]

/** Turns scenes into prepared messages, each with its channel's key. */
export function messagesOf(scenario: Scenario, scenes: Scene[]) {
  const minutes = drillMinutes(scenario, scenes)
  const common = ({ member, text, arm, key }: ScenePost, beat: string | undefined) => ({
    sender: member.role.key,
    content: text,
    metadata: {
      ...(beat && { beat }),
      ...(arm && { arm }),
      ...(minutes.has(key) && { drill_minute: minutes.get(key) }),
    },
  })

  return scenes.map((scene) => {
    const { line, channel, at, replies } = scene
    const post = common(scene, line.beat)
    const { fallback_for } = line
    const expectation = expectationOf(scenario, scene)
    const message: BundleMessage = {
      ...post,
      metadata: {
        kind: line.kind,
        ...post.metadata,
        ...(expectation && { expectation }),
        ...(fallback_for && { fallback_for }),
      },
      offset_hours: at / 60,
      thread_replies: replies.map((reply): BundleReply => {
        return { ...common(reply, line.beat), offset_minutes: reply.at - at }
      }),
    }
    return { channel, message }
  })
}

/** The expectation of a line: the decision that it asks for, or its own. */
function expectationOf({ decision_points = [] }: Scenario, { line }: Scene) {
  const { kind, beat, expectation } = line
  const decision = decision_points.find((one) => kind === 'decision_point' && one.beat === beat)
  if (!decision) return expectation
  const { options, deadline_minutes } = decision
  return { act: 'decide', options: options.map(({ option }) => option), deadline_minutes }
}
