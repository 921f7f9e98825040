import { effect, untracked } from '@preact/signals'
import { announce, announceOnce } from '../../shared/announcer.js'
import { beginningOf } from '../../shared/room/beginning.js'
import { announceConnection } from '../../shared/room/connection.js'
import type { Message } from '../../shared/room/messages.js'
import { isRecorded } from '../../shared/room/recorded.js'
import type { Room } from '../../shared/room/room.js'
import { say } from '../../shared/words/words.js'
import { me } from '../state.js'
import { type Deadline, deadlinesOf } from './decisions/deadlines.js'
import { unsentLabel } from './decisions/unsent-choice.js'
import { titleOf } from './trainer-strip.js'

/** How long messages are collected, so that ten of them are one announcement. */
const collectMs = 1_500
/** A deadline is announced again when this much real time is left. */
const nearMs = 60_000
/** A choice that is not sent is announced when this much real time is left. */
const lastMs = 30_000

/** Tells a screen reader what happens in a room. Returns how to stop. */
export function announceRoom(room: Room): () => void {
  const stops = [
    announceMessages(room),
    announceDeadlines(room),
    announceState(room),
    announceConnection(room),
    announceWords(room),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function announceMessages(room: Room): () => void {
  let last: number | null = null
  let arrived: Message[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const tell = () => {
    announce(textOf(room, arrived))
    arrived = []
    timer = undefined
  }
  const stop = effect(() => {
    const all = room.messages.all.value
    const newest = all.at(-1)?.seq ?? 0
    // Older messages are not announced.
    if (last === null) {
      if (newest > 0) last = newest
      return
    }
    const known = last
    last = newest
    const news = all.filter(({ seq, sender_id }) => seq > known && sender_id !== me.peek())
    if (news.length === 0) return
    arrived = [...arrived, ...news]
    timer ??= setTimeout(tell, collectMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

function textOf(room: Room, messages: Message[]): string {
  const channels = room.briefing.peek()?.channels ?? []
  const nameOf = (id: string) =>
    channels.find(({ conversation_id }) => conversation_id === id)?.channel_name ?? ''
  const names = [...new Set(messages.map(({ conversation_id }) => nameOf(conversation_id)))]
  const [first] = messages
  if (messages.length > 1 || !first) {
    return say('announce.messages', { count: messages.length, channels: names.join(', ') })
  }
  const sender = room.people.peek().get(first.sender_id)?.name ?? ''
  const name = isRecorded(first) ? say('trainer.the') : sender
  const text = beginningOf(first.content, 200)
  return say('announce.message', { name, channel: names[0] ?? '', text })
}

function announceWords(room: Room): () => void {
  let last: number | null = null
  return effect(() => {
    const { all, isRead } = room.privateWords
    const newest = all.value.at(-1)
    if (last !== null && newest && newest.seq > last && newest.from_trainer) {
      announce(`${titleOf(newest)} ${beginningOf(newest.content, 200)}`)
    }
    last = newest?.seq ?? (isRead.value ? 0 : null)
  })
}

function announceDeadlines(room: Room): () => void {
  const tell = announceOnce()
  return effect(() => {
    for (const { message_id, at, text, decision } of deadlinesOf(room) as Deadline[]) {
      if (decision) tell(message_id, say('announce.decision', { text }))
      const left = at === null ? Number.POSITIVE_INFINITY : room.clock.until(at)
      const count = Math.ceil(left / 1_000)
      if (count <= 0) continue
      const isUnsent = decision !== null && unsentLabel(room, decision) !== null
      untracked(() => {
        if (left < nearMs) tell(`${message_id} near`, say('announce.near', { count, text }), true)
        if (left < lastMs && isUnsent) {
          tell(`${message_id} unsent`, say('announce.unsent', { count }), true)
        }
      })
    }
  })
}

function announceState(room: Room): () => void {
  let status = room.clock.status.peek() ?? room.briefing.peek()?.status ?? null
  return effect(() => {
    const now = room.clock.status.value
    // The closing page says itself that the drill has ended.
    const isOver = now === 'completed' || now === 'cancelled'
    if (now && status && now !== status && !isOver) announce(say(`announce.${now}`), true)
    status = now ?? status
  })
}
