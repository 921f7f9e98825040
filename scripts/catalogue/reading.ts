import type { Bundle, BundleMessage } from '../../src/blueprints/bundle/compose.js'
import type { Arm, Scenario } from '../../src/blueprints/catalogue/entries.js'

interface Reading {
  arm: Arm
  byTime: boolean
  forFacilitator: boolean
}

type Post = BundleMessage & { channel: string }

/** A bundle as Markdown: the parts of a drill, then what is said in one arm. */
export function readBundle(scenario: Scenario, bundle: Bundle, reading: Reading): string {
  const { label, description, participant_roles = [] } = scenario
  const posts = bundle.channels.flatMap(({ channel_name, message_templates }) =>
    message_templates.map((message) => ({ channel: channel_name, ...message })),
  )
  const said = posts
    .filter((post) => isIn(post, reading.arm))
    .sort((one, other) => (reading.byTime ? timeOf(one) - timeOf(other) : 0))
  return [
    `# ${label}`,
    description,
    `${bundle.team_size} people, the ${reading.arm} arm. ${Object.values(bundle.models).join(', ')}.`,
    ...bundle.warnings.map(({ field, value, message }) => `> ${field} ${value}: ${message}`),
    '## Participants',
    ...participant_roles.map((role) => {
      const secret = `\n  - privately: ${role.private_information}\n  - goal: ${role.goal}`
      return `- **${role.title}**: ${role.brief}${reading.forFacilitator ? secret : ''}`
    }),
    '## People',
    ...bundle.characters.slice(0, 12).map(({ full_name, career_goals, metadata }) => {
      return `- **${full_name}**, ${career_goals.current_role}, ${metadata.team}`
    }),
    ...(reading.forFacilitator ? facilitatorParts(scenario) : []),
    '## What is said',
    ...said.flatMap((post, i) => {
      const isNew = !reading.byTime && post.channel !== said[i - 1]?.channel
      return [...(isNew ? [`### #${post.channel}`] : []), told(bundle, post, reading)]
    }),
  ].join('\n\n')
}

const isIn = ({ metadata }: Pick<BundleMessage, 'metadata'>, arm: Arm) =>
  metadata.arm === undefined || metadata.arm === arm

function told(bundle: Bundle, post: Post, { arm, forFacilitator }: Reading): string {
  const names = new Map(bundle.characters.map(({ key, full_name }) => [key, full_name]))
  const { metadata, sender, content, thread_replies, offset_hours } = post
  const { kind, beat, drill_minute, fallback_for, expectation } = metadata
  const minute = drill_minute === undefined ? 'before' : `minute ${drill_minute}`
  const parts = [
    kind,
    beat,
    metadata.arm && 'this arm only',
    fallback_for && `only if nobody answered ${fallback_for}`,
  ]
  const note = forFacilitator ? ` _(${parts.filter(Boolean).join(', ')})_` : ''
  const head = `**${names.get(sender)}** in #${post.channel} · ${dayAt(offset_hours * 60)} · ${minute}${note}`
  const asked =
    expectation && forFacilitator ? `\n\n> participants: ${JSON.stringify(expectation)}` : ''
  const replies = thread_replies
    .filter((reply) => isIn(reply, arm))
    .map((reply) => {
      const when = dayAt(offset_hours * 60 + reply.offset_minutes)
      return `\n- **${names.get(reply.sender)}** · ${when}: ${reply.content.replaceAll('\n', '\n  ')}`
    })
  return `${head}\n\n${content}${asked}${replies.length > 0 ? '\n' : ''}${replies.join('')}`
}

/** Hours, and within one the order of a drill. */
const timeOf = ({ offset_hours, metadata }: Post) =>
  offset_hours + (metadata.drill_minute ?? 0) / 1000

/** Day and time of the calendar, when the session begins on day 1 at 09:00. */
function dayAt(minutes: number): string {
  const sinceMidnight = minutes + 9 * 60
  const day = Math.floor(sinceMidnight / 1440)
  const time = sinceMidnight - day * 1440
  const clock = [Math.floor(time / 60), time % 60].map((part) => String(part).padStart(2, '0'))
  return `day ${day < 0 ? day : day + 1} ${clock.join(':')}`
}

function facilitatorParts({
  beats = [],
  decision_points = [],
  experiment,
  run_sheet = [],
  intervention,
}: Scenario) {
  return [
    '## For the facilitator',
    `Hypothesis: ${experiment.hypothesis}`,
    `Intervention: ${intervention ?? 'none'}`,
    `Measures: ${experiment.measures.map(({ label }) => label).join('; ')}`,
    ...decision_points.map(({ beat, question, options, deadline_minutes, fallback }) =>
      [
        `**Decision (${beat})**: ${question} ${deadline_minutes} minutes.`,
        ...options.map(({ option, cost }) => `- ${option}: ${cost}`),
        `- if nobody decides: ${fallback}`,
      ].join('\n'),
    ),
    ...beats.map(({ beat, learning_goal, debrief_question, facilitator_note: note }) =>
      [
        `**${beat}**: ${learning_goal}`,
        `- debrief: ${debrief_question}`,
        `- trap: ${note.trap}`,
        `- hint: ${note.hint}`,
        `- if nothing happens: ${note.fallback}`,
      ].join('\n'),
    ),
    ...experiment.rubric.map(({ criterion, question, rater, evidence, scale }) =>
      [
        `**${criterion}** (${rater}, ${evidence}): ${question}`,
        ...(scale.levels ?? []).map(
          ({ value, label, description }) => `- ${value} ${label}: ${description}`,
        ),
      ].join('\n'),
    ),
    ...run_sheet.map(({ phase, from_minute, to_minute, facilitator }) => {
      return `- ${from_minute} to ${to_minute}, ${phase}: ${facilitator}`
    }),
  ]
}
