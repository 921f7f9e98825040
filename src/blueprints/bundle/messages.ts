import type { Conditions, Path } from '../catalogue/decisions/conditions.js'
import type { Scenario } from '../catalogue/entries.js'
import type { Scene } from './arms.js'
import type { BundleMessage, BundleReply } from './bundle.js'
import { drillMinutes } from './drill.js'
import { postsOn } from './script/path-posts.js'

type ScenePost = Scene | Scene['replies'][number]

/** Turns scenes, or those of one path, into prepared messages, each with its channel's key. */
export function messagesOf(scenario: Scenario, scenes: Scene[], path?: Path) {
  const minutes = drillMinutes(scenario, scenes)
  const common = ({ member, text, arm, key, conditions }: ScenePost, beat: string | undefined) => ({
    sender: member.role.key,
    content: text,
    metadata: {
      ...(beat && { beat }),
      ...(arm && { arm }),
      ...(minutes.has(key) && { drill_minute: minutes.get(key) }),
      ...conditionsIn(conditions),
    },
  })

  return (path ? postsOn(scenario, scenes, path) : scenes).map((scene) => {
    const { line, channel, at, replies } = scene
    const post = common(scene, line.beat)
    const expectation = expectationOf(scenario, scene)
    const message: BundleMessage = {
      ...post,
      metadata: {
        kind: line.kind,
        ...post.metadata,
        ...(expectation && { expectation }),
        ...artefactOf(scenario, scene),
      },
      offset_hours: at / 60,
      thread_replies: replies.map((reply): BundleReply => {
        return { ...common(reply, line.beat), offset_minutes: reply.at - at }
      }),
    }
    return { channel, message }
  })
}

const conditionsIn = ({ only_if, unless, fallback_for }: Conditions) => ({
  ...(only_if.length > 0 && { only_if }),
  ...(unless.length > 0 && { unless }),
  ...(fallback_for && { fallback_for }),
})

/** The document that a line shows. */
function artefactOf({ artefacts = [] }: Scenario, { line }: Scene) {
  const found = artefacts.find(({ key }) => key === line.artefact)
  return found && { artefact: { title: found.title, text: found.text } }
}

/** The expectation of a line: the decision that it asks for, or its own. */
function expectationOf({ decision_points = [] }: Scenario, { line }: Scene) {
  const { kind, beat, expectation } = line
  const decision = decision_points.find((one) => kind === 'decision_point' && one.beat === beat)
  if (!decision) return expectation
  const { question, options, decided_by, deadline_minutes, fallback_option } = decision
  return {
    act: 'decide',
    options: options.map(({ label }) => label),
    deadline_minutes,
    decision: { question, options, decided_by, fallback_option },
  }
}
