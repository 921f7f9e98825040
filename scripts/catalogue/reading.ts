import type { Bundle, BundleCharacter, BundleMessage } from '../../src/blueprints/bundle/compose.js'
import type { Path } from '../../src/blueprints/catalogue/decisions/conditions.js'
import type { Arm, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { byTime, namesIn, type Post, postsOf } from './bundle-posts.js'
import { conditionsText } from './conditions-text.js'
import { facilitatorParts } from './facilitator.js'
import { pathText } from './paths.js'
import { artefactText, situationParts } from './situation.js'

interface ReadingOptions {
  arm: Arm
  /** The path of the bundle. Without it, each message names the decisions on which it depends. */
  path?: Path
  byTime: boolean
  forFacilitator: boolean
}

/** Writes a bundle as Markdown: the parts of a drill, then the posts of one arm. */
export function readBundle(scenario: Scenario, bundle: Bundle, reading: ReadingOptions): string {
  const { label, description, participant_roles = [] } = scenario
  const posts = postsOf(bundle, reading.arm)
  const read = reading.byTime ? posts.sort(byTime) : posts
  return [
    `# ${label}`,
    description,
    ...(reading.forFacilitator ? [settings(bundle, reading)] : []),
    ...bundle.warnings.map(({ field, value, message }) => `> ${field} ${value}: ${message}`),
    ...situationParts(scenario),
    '## Participants',
    ...participant_roles.map((role) => {
      const secret = `\n  - privately: ${role.private_information}\n  - goal: ${role.goal}`
      return `- **${role.title}**: ${role.brief}${reading.forFacilitator ? secret : ''}`
    }),
    '## People',
    ...bundle.characters.map((character) => person(character, reading)),
    ...(reading.forFacilitator ? facilitatorParts(scenario) : []),
    '## Messages',
    ...read.flatMap((post, i) => {
      const isNew = !reading.byTime && post.channel !== read[i - 1]?.channel
      return [...(isNew ? [`### #${post.channel}`] : []), postText(bundle, post, reading)]
    }),
  ].join('\n\n')
}

const settings = ({ team_size, models }: Bundle, { arm, path }: ReadingOptions) =>
  [
    `${team_size} characters, the ${arm} arm. ${Object.values(models).join(', ')}.`,
    path && ` Path: ${pathText(path)}.`,
  ]
    .filter(Boolean)
    .join('')

function person(
  { full_name, bio, career_goals, metadata }: BundleCharacter,
  { forFacilitator }: ReadingOptions,
): string {
  const { current_role, department } = career_goals
  const { working_hours, communication_style, private_goal, private_fact } = metadata
  const secrets = [
    `\n  - ${working_hours}; ${communication_style}. ${bio}`,
    private_goal && `\n  - wants: ${private_goal}`,
    private_fact && `\n  - knows: ${private_fact}`,
  ]
  const rest = forFacilitator ? secrets.filter(Boolean).join('') : ''
  return `- **${full_name}**, ${current_role}, ${department}${rest}`
}

type Metadata = BundleMessage['metadata']

const minuteOf = ({ drill_minute }: Metadata) =>
  drill_minute === undefined ? 'before' : `minute ${drill_minute}`

function postText(bundle: Bundle, post: Post, reading: ReadingOptions): string {
  const { path, forFacilitator } = reading
  const names = namesIn(bundle)
  const { metadata, sender, content, thread_replies, offset_hours } = post
  const { kind, beat, fallback_for, expectation, artefact } = metadata
  const parts = [kind, beat, metadata.arm && 'this arm only', fallback_for && `for ${fallback_for}`]
  const note = forFacilitator ? ` _(${parts.filter(Boolean).join(', ')})_` : ''
  const conditions = (one: Metadata) => (path ? '' : conditionsText(one))
  const head = `**${names.get(sender)}** in #${post.channel} · ${dayAt(offset_hours * 60)} · ${minuteOf(metadata)}${conditions(metadata)}${note}`
  const asked = expectation && forFacilitator ? `\n\n> ${expectationText(expectation)}` : ''
  const replies = thread_replies.map((reply) => {
    const when = dayAt(offset_hours * 60 + reply.offset_minutes)
    return `\n- **${names.get(reply.sender)}** · ${when} · ${minuteOf(reply.metadata)}${conditions(reply.metadata)}: ${reply.content.replaceAll('\n', '\n  ')}`
  })
  const shown = artefact ? `\n\n${artefactText(artefact)}` : ''
  return `${head}\n\n${content}${shown}${asked}${replies.length > 0 ? '\n' : ''}${replies.join('')}`
}

/** The day and time of the calendar. A session begins on day 1 at 09:00. */
function dayAt(minutes: number): string {
  const sinceMidnight = minutes + 9 * 60
  const day = Math.floor(sinceMidnight / 1440)
  const time = sinceMidnight - day * 1440
  const clock = [Math.floor(time / 60), time % 60].map((part) => String(part).padStart(2, '0'))
  return `day ${day < 0 ? day : day + 1} ${clock.join(':')}`
}

/** The expectation of participants in words. */
function expectationText({ act, options, deadline_minutes }: Record<string, unknown>): string {
  const choices = Array.isArray(options) ? `: ${options.join(' / ')}` : ''
  return `Participants have ${deadline_minutes} minutes to ${act}${choices}`
}
