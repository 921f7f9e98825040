import type { DeskRoom } from '../desk-room.js'

/** The channels of a session, to choose one from. */
export function ChannelOptions({ room }: { room: DeskRoom }) {
  const channels = room.briefing.value?.channels ?? []
  return channels.map(
    ({ conversation_id, channel_name }) =>
      conversation_id && (
        <option key={conversation_id} value={conversation_id}>
          #{channel_name}
        </option>
      ),
  )
}
