import { type Fault, maxFaults, valueFault } from '../../faults.js'
import type { Message, Post } from '../messages.js'
import { metadataWarnings } from './metadata-warnings.js'
import { hasOpenVariable, hasUnknownVariable, knownVariables } from './variables.js'

interface Sender {
  is_bot: boolean
  is_active: boolean
}

/** Where the messages are in a request, so that each fault names its exact field. */
export interface MessagesLoc {
  loc: string[]
  senderField: 'sender_character_id' | 'sender_username'
}

/** The faults that make a request fail. */
export function* faultsIn(
  messages: Message[],
  senders: ReadonlyMap<string, Sender>,
  { loc, senderField }: MessagesLoc,
): Generator<Fault> {
  function* faultsOf({ sender_character_id, content }: Post, at: string[]): Generator<Fault> {
    const sender = senders.get(sender_character_id)
    const who = [...at, senderField]
    if (!sender?.is_bot)
      yield valueFault(who, 'unknown_character', 'the sender is no character of this organization')
    else if (!sender.is_active) yield valueFault(who, 'inactive', 'the sender is not active')
    const text = [...at, 'content']
    if (content.trim() === '') yield valueFault(text, 'blank', 'the text is blank')
    else if (hasUnknownVariable(content)) {
      yield valueFault(
        text,
        'unknown_variable',
        `the text has another variable than ${knownVariables}`,
      )
    }
  }

  for (const [i, message] of messages.entries()) {
    const at = [...loc, String(i)]
    yield* faultsOf(message, at)
    for (const [j, reply] of message.thread_replies.entries()) {
      yield* faultsOf(reply, [...at, 'thread_replies', String(j)])
    }
  }
}

/** The warnings: the messages are stored all the same. */
export function* warningsIn(
  messages: Message[],
  { loc }: Pick<MessagesLoc, 'loc'>,
): Generator<Fault> {
  for (const [i, message] of messages.entries()) {
    const { sender_character_id, thread_replies } = message
    const at = [...loc, String(i)]
    const thread = [...at, 'thread_replies']
    yield* postWarnings(message, at, false)
    const others = thread_replies.filter(
      (reply) => reply.sender_character_id !== sender_character_id,
    )
    if (thread_replies.length > 0 && others.length === 0) {
      const msg = 'Only the sender of the message answers in this thread'
      yield { loc: thread, msg, type: 'self_answered' }
    }
    for (const [j, reply] of thread_replies.entries()) {
      yield* postWarnings(reply, [...thread, String(j)], true)
      if (reply.offset_minutes >= (thread_replies[j - 1]?.offset_minutes ?? 0)) continue
      const msg = 'This reply comes before the one above it'
      yield { loc: [...thread, String(j), 'offset_minutes'], msg, type: 'out_of_order' }
    }
  }
}

/** The warnings that a message and a reply share. */
function* postWarnings(
  { content, metadata }: Post,
  at: string[],
  isReply: boolean,
): Generator<Fault> {
  if (hasOpenVariable(content)) {
    const msg = 'Braces in this text belong to no variable'
    yield { loc: [...at, 'content'], msg, type: 'open_variable' }
  }
  yield* metadataWarnings(metadata, [...at, 'metadata'], isReply)
}

/** Collects the first faults, as many as one answer holds, so that the answer is bounded. */
export class FaultList {
  readonly all: Fault[] = []

  add(found: Iterable<Fault>): void {
    if (this.all.length === maxFaults) return
    for (const one of found) {
      this.all.push(one)
      if (this.all.length === maxFaults) return
    }
  }
}

/** The first faults, as many as one answer holds. */
export function firstOf(found: Iterable<Fault>): Fault[] {
  const first = new FaultList()
  first.add(found)
  return first.all
}
