import { effect } from '@preact/signals'
import { announce } from '../../../shared/announcer.js'
import { beginningOf } from '../../../shared/room/beginning.js'
import type { Room } from '../../../shared/room/room.js'
import { say } from '../../../shared/words/words.js'
import { me } from '../../state.js'
import type { Panes } from '../panes/panes.js'
import { Strip } from '../strip.js'
import { type Asked, askedOf, isDecision } from './deadlines.js'
import { unsentLabel } from './unsent-choice.js'

/** How long a strip shows the outcome, unless it is read before. */
const shownMs = 120_000

/** Notices that a decision or question ends without the reader. Returns how to stop. */
export function followOutcomes(panes: Panes): () => void {
  const { room } = panes
  let open: Asked['message_id'][] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    const asked = askedOf(room)
    const ended = asked.filter((one) => open.includes(one.message_id) && isEndedByOthers(one))
    // The list may know of an end before its message has arrived.
    const told = ended.find((one) => messageOf(room, one))
    open = asked
      .filter((one) => one.status === 'open' || (ended.includes(one) && one !== told))
      .map(({ message_id }) => message_id)
    if (!told) return
    panes.outcome.value = told
    announce(`${titleOf(room, told)} ${textOf(room, told)}`)
    clearTimeout(timer)
    timer = setTimeout(() => {
      panes.outcome.value = null
    }, shownMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

function isEndedByOthers(one: Asked): boolean {
  if (isDecision(one)) {
    return one.status !== 'open' && one.option !== null && one.made_by !== me.peek()
  }
  return one.status === 'answered' && one.answered_by !== me.peek()
}

/** Shows how a decision or question has ended. It leads to the message that says so. */
export function OutcomeStrip({ panes }: { panes: Panes }) {
  const { room } = panes
  const outcome = panes.outcome.value
  if (!outcome) return null
  const read = () => {
    panes.outcome.value = null
    if (isMissed(room, outcome)) return panes.openSide({ name: 'decisions' })
    const message = messageOf(room, outcome)
    if (message) panes.open(message.conversation_id, message._id)
  }
  return (
    <Strip kind="outcome" title={titleOf(room, outcome)} onRead={read}>
      {textOf(room, outcome)}
    </Strip>
  )
}

/** Whether the reader had chosen and the time ran out. The decision says what they had chosen. */
const isMissed = (room: Room, outcome: Asked) =>
  isDecision(outcome) && outcome.status === 'lapsed' && unsentLabel(room, outcome) !== null

function messageOf({ messages }: Room, outcome: Asked) {
  return isDecision(outcome)
    ? messages.all.value.find(({ decides }) => decides?.beat === outcome.beat)
    : messages.byId.value.get(outcome.answered_message_id ?? '')
}

function titleOf(room: Room, outcome: Asked): string {
  const nameOf = (id: string | null) => room.people.peek().get(id ?? '')?.name ?? '–'
  if (!isDecision(outcome)) return say('outcome.answered', { name: nameOf(outcome.answered_by) })
  if (isMissed(room, outcome)) return say('outcome.missed')
  if (outcome.status === 'lapsed') return say('outcome.lapsed')
  if (outcome.on_behalf) return say('outcome.on_behalf')
  return say('outcome.by', { name: nameOf(outcome.made_by) })
}

function textOf(room: Room, outcome: Asked): string {
  if (!isDecision(outcome)) return beginningOf(messageOf(room, outcome)?.content ?? '')
  return outcome.options.find(({ option }) => option === outcome.option)?.label ?? ''
}
