import type { Pieces } from '../../contract.js'
import { jsonLine } from '../../process/json-line.js'
import { type BranchLine, linesAt } from '../branches/lines.js'
import { messagesOn, Path } from '../branches/path.js'
import { isAsk, Scenario } from '../branches/scenario.js'
import { cut, type Values } from '../linting/variables.js'
import { completeMessages, type Post, sendersOf } from '../messages.js'
import { type PostedMessage, schedule } from '../preview/schedule.js'
import type { StoredTemplate } from '../queries.js'
import type { Sender } from '../rows/sender-queries.js'
import type { TemplatePage } from './export.js'
import { FreeNames, userName } from './mattermost-names.js'

/** The Mattermost team, the start of the session, and the values of variables. */
export interface ExportTarget {
  team: { name: string; display_name: string }
  start: number
  valuesOf: (scenario_name: string) => Values
  /** All active channels, also those that are not exported: a channel has the same name in each export. */
  active: readonly { _id: string; channel_name: string }[]
}

/** Mattermost's limits for texts, in characters. */
const maxLength = { title: 64, purpose: 250, email: 128 }

/** The channels and users of all templates: their lines come before the first post. */
interface ImportPlan {
  /** Keyed by the template's id. */
  channels: Map<string, { name: string; display_name: string; purpose: string }>
  /** Keyed by the user's id, with the names of the channels that they post in. */
  members: Map<string, { sender: Sender; channels: Set<string> }>
  /** The path on which each decision lapses, by scenario. */
  paths: Map<string, Path>
}

async function planOf(
  pieces: AsyncIterable<TemplatePage>,
  { valuesOf, active }: ExportTarget,
): Promise<ImportPlan> {
  const plan: ImportPlan = { channels: new Map(), members: new Map(), paths: new Map() }
  const free = new FreeNames()
  const names = new Map(active.map((one) => [one._id, free.take(one.channel_name, 'channel')]))
  const asks = new Map<string, BranchLine[]>()
  for await (const { templates, senders } of pieces) {
    for (const { _id, channel_name, scenario_name, ...rest } of templates) {
      const name = names.get(_id)
      if (!rest.is_active || name === undefined) continue
      const purpose = cut(valuesOf(scenario_name)['scenario.name'], maxLength.purpose)
      plan.channels.set(_id, { name, display_name: cut(channel_name, maxLength.title), purpose })
      const messages = completeMessages(rest.message_templates)
      const asked = asks.get(scenario_name) ?? []
      asks.set(scenario_name, asked)
      for (const line of linesAt(messages)) if (isAsk(line)) asked.push(line)
      for (const id of sendersOf(messages)) {
        const sender = senders.get(id)
        if (!sender) continue
        const member = plan.members.get(id) ?? { sender, channels: new Set() }
        plan.members.set(id, { sender, channels: member.channels.add(name) })
      }
    }
  }
  for (const [scenario_name, lines] of asks) {
    plan.paths.set(scenario_name, new Path(new Scenario(lines)))
  }
  return plan
}

/**
 * Writes the templates as lines for Mattermost's bulk loading. Reads them twice, because all channels
 * and users come before the first post. A template that changed in between may lose some posts.
 */
export async function* writeMattermost(
  read: () => AsyncIterable<TemplatePage>,
  target: ExportTarget,
): Pieces {
  const plan = await planOf(read(), target)
  yield* linesBeforePosts(plan, target.team)
  for await (const { templates } of read()) {
    for (const template of templates) yield postsOf(template, plan, target).map(line).join('')
  }
}

type Timed = { at: number }

const line = (object: object) => `${jsonLine(object)}\n`

function* linesBeforePosts(
  { channels, members }: ImportPlan,
  { name: team, display_name }: ExportTarget['team'],
) {
  yield line({ type: 'version', version: 1 })
  const title = cut(display_name, maxLength.title)
  yield line({ type: 'team', team: { name: team, display_name: title, type: 'I' } })
  for (const channel of channels.values()) {
    yield line({ type: 'channel', channel: { team, type: 'O', ...channel } })
  }
  for (const { sender, channels } of members.values()) {
    const roles = 'channel_user'
    const membership = [...channels].map((name) => ({ name, roles }))
    const teams = [{ name: team, roles: 'team_user', channels: membership }]
    yield line({ type: 'user', user: { ...userOf(sender), roles: 'system_user', teams } })
  }
}

/** Without a password: Mattermost generates one, so that the user cannot log in. */
function userOf({ username, email, full_name }: Sender) {
  const [first_name = '', ...others] = full_name?.trim().split(/\s+/) ?? []
  return {
    username: userName(username),
    email: email.length > maxLength.email ? `${username}@characters.invalid` : email.toLowerCase(),
    first_name: cut(first_name, maxLength.title),
    last_name: cut(others.join(' '), maxLength.title),
  }
}

/**
 * When each post and reply of a channel is created. Mattermost recognizes a post by its channel, time and text,
 * and sorts by time: so each gets a millisecond of its own, in the order of the times of posting.
 */
function uniqueTimes(posted: PostedMessage[]): Map<Timed, number> {
  const replies = posted.flatMap((message) => message.thread_replies)
  const all: Timed[] = [...posted, ...replies].sort((a, b) => a.at - b.at)
  const times = new Map<Timed, number>()
  let last = Number.NEGATIVE_INFINITY
  for (const one of all) {
    last = Math.max(one.at, last + 1)
    times.set(one, last)
  }
  return times
}

function postsOf(
  template: StoredTemplate,
  { channels, members, paths }: ImportPlan,
  target: ExportTarget,
): object[] {
  const channel = channels.get(template._id)?.name
  if (channel === undefined) return []
  const texts = (posts: (Post & { at: number })[]) =>
    posts.flatMap((post) => {
      const member = members.get(post.sender_character_id)
      if (!member?.channels.has(channel)) return []
      const user = userName(member.sender.username)
      return { user, message: post.content, create_at: times.get(post) ?? post.at }
    })
  const all = completeMessages(template.message_templates)
  const path = paths.get(template.scenario_name)
  const messages = path ? messagesOn(path, all) : all
  const posted = schedule(messages, target.start, target.valuesOf(template.scenario_name))
  const times = uniqueTimes(posted)
  return posted.flatMap((message) =>
    texts([message]).map((text) => {
      const replies = texts(message.thread_replies)
      return { type: 'post', post: { team: target.team.name, channel, ...text, replies } }
    }),
  )
}
