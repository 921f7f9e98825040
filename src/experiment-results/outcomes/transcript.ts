import type { Schema } from '../../contract.js'

/** A message without its text. */
export interface Message {
  _id: string
  conversation_id: string
  thread_id: string | null
  sender_id: string
  sender_kind: Schema<'SenderKind'>
  kind: string | null
  beat: string | null
  /** How long the message waits for a participant. Null if it does not wait. */
  deadline_minutes: number | null
  offset_ms: number
  injected: boolean
}

/** A first message with its replies, in the order of posting. */
export interface Thread {
  root: Message
  channel_name: string | null
  messages: Message[]
}

export interface Rating {
  rater_id: string
  /** The id of the rated assignment, or `team`. */
  subject: string
  criterion: string
  value: number | boolean | string
}

/** A decision that the session has asked for. */
export interface Decision {
  beat: string
  /** The message that asks. */
  message_id: string
  status: Schema<'DecisionStatus'>
  /** The option in which it ended; null if it has not. */
  option: string | null
  asked_offset_ms: number
  ended_offset_ms: number | null
}

/** The data of an ended session that outcomes are computed from. */
export interface Transcript {
  threads: Thread[]
  decisions: Decision[]
  /** The users who took part, also those who have left. */
  joined: string[]
  ratings: Rating[]
}

/** Groups messages, which come in the order of posting, into threads. */
export function threadsOf(
  messages: readonly Message[],
  conversations: readonly Schema<'SessionConversation'>[],
): Thread[] {
  const names = new Map(conversations.map((one) => [one.conversation_id, one.channel_name]))
  const threads = new Map<string, Thread>()
  for (const message of messages) {
    const thread = threads.get(message.thread_id ?? message._id)
    if (thread) thread.messages.push(message)
    else {
      const channel_name = names.get(message.conversation_id) ?? null
      threads.set(message._id, { root: message, channel_name, messages: [message] })
    }
  }
  return [...threads.values()]
}

export const isByParticipant = ({ sender_kind }: Message) => sender_kind === 'participant'
