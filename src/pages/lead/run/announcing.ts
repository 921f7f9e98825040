import { effect, untracked } from '@preact/signals'
import { announce, announceOnce } from '../../shared/announcer.js'
import { now } from '../../shared/clock.js'
import { sayDone } from '../../shared/forms/action.js'
import { announceConnection } from '../../shared/room/connection.js'
import { say } from '../words/words.js'
import type { DeskRoom } from './desk-room.js'

/** How long messages are collected before a screen reader hears of them. */
const collectMs = 5_000
const soonMs = 60_000

/** Announces what changes, messages together. Returns how to stop. */
export function announceChanges(room: DeskRoom): () => void {
  const stops = [
    announceMessages(room),
    announceDecisions(room),
    announceRequests(room),
    announceQuestions(room),
    announceStatus(room),
    announceConnection(room),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Returns a check whether an instant of the service is after now. Older messages are not announced. */
function sinceNow({ clock }: DeskRoom): (instant: string) => boolean {
  const from = performance.now()
  // Both sides count to the same tick of the clock.
  return (instant) => -clock.until(instant) < now.value - from
}

function announceMessages(room: DeskRoom): () => void {
  const isNews = sinceNow(room)
  let heard = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const tell = () => {
    timer = undefined
    const news = room.messages.all.value.filter(({ seq }) => seq > heard)
    heard = news.at(-1)?.seq ?? heard
    const count = news.filter(({ posted_at }) => isNews(posted_at)).length
    if (count > 0) announce(say('lead.newMessages', { count }))
  }
  const stop = effect(() => {
    const last = room.messages.all.value.at(-1)?.seq ?? 0
    if (last > heard) timer ??= setTimeout(tell, collectMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

/** Announces each decision, and its last minute. */
function announceDecisions(room: DeskRoom): () => void {
  const tell = announceOnce()
  return effect(() => {
    for (const { beat, status, question, deadline_at } of room.decisions.value) {
      if (status !== 'open') continue
      tell(`${beat} open`, say('lead.decisionAsked', { question }))
      const left = deadline_at ? room.clock.until(deadline_at) : Number.POSITIVE_INFINITY
      if (left < soonMs) tell(`${beat} soon`, say('lead.decisionSoon', { question }), true)
    }
  })
}

/** Announces the last minute of each open request. */
function announceRequests(room: DeskRoom): () => void {
  const tell = announceOnce()
  return effect(() => {
    for (const { message_id, status, act, due_at } of room.requests.value) {
      if (status !== 'open' || !due_at || room.clock.until(due_at) >= soonMs) continue
      tell(message_id, say('lead.answerSoon', { act }))
    }
  })
}

/** Announces each private question that arrives. */
function announceQuestions(room: DeskRoom): () => void {
  const isNews = sinceNow(room)
  const tell = announceOnce()
  return effect(() => {
    for (const { _id, from_trainer, sender_name, created_at } of room.privateWords.all.value) {
      const isNew = untracked(() => isNews(created_at))
      if (from_trainer || !isNew) continue
      tell(_id, say('lead.wordsArrived', { name: sender_name ?? '–' }))
    }
  })
}

function announceStatus(room: DeskRoom): () => void {
  let heard: string | null = null
  return effect(() => {
    const status = room.clock.status.value
    if (status && heard !== null && status !== heard) {
      sayDone(say('lead.statusNow', { status: say(`lead.status.${status}`) }))
    }
    heard = status ?? heard
  })
}
