import type { Pieces } from '../contract.js'
import type { Piece } from './export.js'
import { FreeNames, userName } from './mattermost-names.js'
import { completeMessages, type Post, sendersOf } from './messages.js'
import type { StoredTemplate } from './queries.js'
import { schedule } from './schedule.js'
import type { Sender } from './sender-queries.js'
import { cut, type Values } from './variables.js'

export interface Stage {
  team: { name: string; display_name: string }
  start: number
  valuesOf: (scenario_name: string) => Values
}

/** The longest texts that Mattermost takes, in characters. */
const longest = { title: 64, purpose: 250, email: 128 }

/** What has to be known of all templates before the first message is written. */
interface Plan {
  /** By the template's id. */
  channels: Map<string, { name: string; display_name: string; purpose: string }>
  /** By the user's id, with the names of the channels in which they speak. */
  members: Map<string, { sender: Sender; channels: Set<string> }>
}

async function planOf(pieces: AsyncIterable<Piece>, { valuesOf }: Stage): Promise<Plan> {
  const plan: Plan = { channels: new Map(), members: new Map() }
  const names = new FreeNames()
  for await (const { templates, senders } of pieces) {
    for (const { _id, channel_name, scenario_name, ...rest } of templates) {
      if (!rest.is_active) continue
      const name = names.take(channel_name, 'channel')
      const purpose = cut(valuesOf(scenario_name)['scenario.name'], longest.purpose)
      plan.channels.set(_id, { name, display_name: cut(channel_name, longest.title), purpose })
      for (const id of sendersOf(completeMessages(rest.message_templates))) {
        const sender = senders.get(id)
        if (!sender) continue
        const member = plan.members.get(id) ?? { sender, channels: new Set() }
        plan.members.set(id, { sender, channels: member.channels.add(name) })
      }
    }
  }
  return plan
}

/**
 * The templates as lines for Mattermost's bulk loading. They are read twice, for every channel and
 * user comes before the first post; what has changed in between is left out where it would not fit.
 */
export async function* writeMattermost(read: () => AsyncIterable<Piece>, stage: Stage): Pieces {
  const plan = await planOf(read(), stage)
  yield* linesBeforePosts(plan, stage.team)
  for await (const { templates } of read()) {
    for (const template of templates) yield postsOf(template, plan, stage).map(line).join('')
  }
}

const line = (object: object) => `${JSON.stringify(object)}\n`

function* linesBeforePosts(
  { channels, members }: Plan,
  { name: team, display_name }: Stage['team'],
) {
  yield line({ type: 'version', version: 1 })
  const title = cut(display_name, longest.title)
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

/** Without a password: Mattermost makes one that nobody knows. */
function userOf({ username, email, full_name }: Sender) {
  const [first_name = '', ...others] = full_name?.trim().split(/\s+/) ?? []
  return {
    username: userName(username),
    email: email.length > longest.email ? `${username}@characters.invalid` : email.toLowerCase(),
    first_name: cut(first_name, longest.title),
    last_name: cut(others.join(' '), longest.title),
  }
}

function postsOf(template: StoredTemplate, { channels, members }: Plan, stage: Stage): object[] {
  const channel = channels.get(template._id)?.name
  if (channel === undefined) return []
  const texts = (posts: (Post & { at: number })[]) =>
    posts.flatMap(({ sender_character_id, content, at: create_at }) => {
      const member = members.get(sender_character_id)
      if (!member?.channels.has(channel)) return []
      const user = userName(member.sender.username)
      return { user, message: content, create_at }
    })
  const messages = completeMessages(template.message_templates)
  const posted = schedule(messages, stage.start, stage.valuesOf(template.scenario_name))
  return posted.flatMap((message) =>
    texts([message]).map((text) => {
      const replies = texts(message.thread_replies)
      return { type: 'post', post: { team: stage.team.name, channel, ...text, replies } }
    }),
  )
}
