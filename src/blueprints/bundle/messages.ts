import type { Scenario } from '../catalogue/entries.js'
import type { Scene } from './arms.js'
import type { BundleMessage, BundleReply } from './bundle.js'
import { drillMinutes } from './drill.js'

type Said = Scene | Scene['replies'][number]

/** Scenes as the messages that are prepared, each with its channel's key. */
export function messagesOf(scenario: Scenario, scenes: Scene[]) {
  const minutes = drillMinutes(scenario, scenes)
  const common = ({ member, text, arm, key }: Said, beat: string | undefined) => ({
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
    const said = common(scene, line.beat)
    const { fallback_for } = line
    const expectation = expectationOf(scenario, scene)
    const message: BundleMessage = {
      ...said,
      metadata: {
        kind: line.kind,
        ...said.metadata,
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

/** What participants are waited for: a decision of the scenario, or what its line asks. */
function expectationOf({ decision_points = [] }: Scenario, { line }: Scene) {
  const { kind, beat, expectation } = line
  const decision = decision_points.find((one) => kind === 'decision_point' && one.beat === beat)
  if (!decision) return expectation
  const { options, deadline_minutes } = decision
  return { act: 'decide', options: options.map(({ option }) => option), deadline_minutes }
}
