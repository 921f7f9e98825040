import type { Path } from '../catalogue/decisions/conditions.js'
import { joinArms } from './arms.js'
import type { Bundle } from './bundle.js'
import { type Member, memberIn } from './cast.js'
import { messagesOf } from './messages.js'
import type { Script } from './script/script.js'
import { timelineOf } from './script/timeline.js'

/**
 * The messages by channel, of all paths or of one. Channels of the same name, from a scenario or a
 * model, are one.
 */
export function channelsOf(script: Script, cast: Member[], path?: Path): Bundle['channels'] {
  const names = channelNames(script, cast)
  const scenes = joinArms({
    control: timelineOf(script, cast, 'control'),
    intervention: timelineOf(script, cast, 'intervention'),
  })
  const messages = messagesOf(script.scenario, scenes, path).map(({ channel, message }) => {
    return { channel_name: names.get(channel) ?? channel, message }
  })
  const all = new Set([...names.values(), ...messages.map(({ channel_name }) => channel_name)])
  return [...all].flatMap((channel_name) => {
    const message_templates = messages
      .filter((one) => one.channel_name === channel_name)
      .map(({ message }) => message)
    return message_templates.length > 0 ? [{ channel_name, message_templates }] : []
  })
}

/** The channels' names by key. Lines name a channel by its key. */
function channelNames({ scenario, effects }: Script, cast: Member[]): Map<string, string> {
  const names = new Map(scenario.channels.map(({ key, channel_name }) => [key, channel_name]))
  names.set('meeting', effects.meeting_model.channel)
  for (const { key, members } of effects.team_topology.teams) {
    const [member] = members.flatMap((slot) => memberIn(cast, slot) ?? [])
    if (member) names.set(key, member.team.channel)
  }
  return names
}
