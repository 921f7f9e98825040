import { type Fault, valueFault } from '../errors.js'
import type { Message, Post } from './messages.js'
import { hasOpenVariable, hasUnknownVariable, knownVariables } from './variables.js'

interface Sender {
  is_bot: boolean
  is_active: boolean
}

export interface Place {
  /** Where the messages are in the request. */
  loc: string[]
  /** The field that names the sender there. */
  senderField: 'sender_character_id' | 'sender_username'
}

/** What is wrong with messages, each fault at the very field. */
export function* faultsIn(
  messages: Message[],
  senders: ReadonlyMap<string, Sender>,
  { loc, senderField }: Place,
): Generator<Fault> {
  function* faultsOf({ sender_character_id, content }: Post, at: string[]): Generator<Fault> {
    const sender = senders.get(sender_character_id)
    const who = [...at, senderField]
    if (!sender?.is_bot) yield valueFault(who, 'the sender is no character of this organization')
    else if (!sender.is_active) yield valueFault(who, 'the sender is not active')
    const text = [...at, 'content']
    if (content.trim() === '') yield valueFault(text, 'the text is blank')
    else if (hasUnknownVariable(content)) {
      yield valueFault(text, `the text has another variable than ${knownVariables}`)
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

/** What is doubtful about messages and forbids nothing. */
export function* warningsIn(messages: Message[], { loc }: Pick<Place, 'loc'>): Generator<Fault> {
  for (const [i, { sender_character_id, content, thread_replies }] of messages.entries()) {
    const thread = [...loc, String(i), 'thread_replies']
    if (hasOpenVariable(content)) yield openVariable([...loc, String(i), 'content'])
    const others = thread_replies.filter(
      (reply) => reply.sender_character_id !== sender_character_id,
    )
    if (thread_replies.length > 0 && others.length === 0) {
      const msg = 'Nobody answers in this thread but the sender of the message'
      yield { loc: thread, msg, type: 'self_answered' }
    }
    for (const [j, reply] of thread_replies.entries()) {
      if (hasOpenVariable(reply.content)) yield openVariable([...thread, String(j), 'content'])
      if (reply.offset_minutes >= (thread_replies[j - 1]?.offset_minutes ?? 0)) continue
      const msg = 'This reply comes before the one above it'
      yield { loc: [...thread, String(j), 'offset_minutes'], msg, type: 'out_of_order' }
    }
  }
}

const openVariable = (loc: string[]): Fault => ({
  loc,
  msg: 'Braces in this text belong to no variable',
  type: 'open_variable',
})

/** More than anybody reads, and few enough for a hostile body to have a bounded answer. */
const most = 1000

/** The first faults, as many as an answer tells. */
export class FaultList {
  readonly all: Fault[] = []

  add(found: Iterable<Fault>): void {
    if (this.all.length === most) return
    for (const one of found) {
      this.all.push(one)
      if (this.all.length === most) return
    }
  }
}

/** The first of what was found. */
export function firstOf(found: Iterable<Fault>): Fault[] {
  const first = new FaultList()
  first.add(found)
  return first.all
}
