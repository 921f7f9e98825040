import { effect } from '@preact/signals'
import { announce } from '../../../shared/announcer.js'
import type { Schema } from '../../../shared/forms/schema.js'
import type { Room } from '../../../shared/room/room.js'
import { say } from '../../../shared/words/words.js'
import { me } from '../../state.js'
import type { Panes } from '../panes/panes.js'
import { Strip } from '../strip.js'

type Decision = Schema<'SessionDecision'>

/** How long a strip shows the outcome, unless it is read before. */
const shownMs = 120_000

/** Notices that a decision ends without the reader. Returns how to stop. */
export function followOutcomes(panes: Panes): () => void {
  const { room } = panes
  let open: string[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    const ended = room.decisions.value.find(
      ({ beat, status, option, made_by }) =>
        open.includes(beat) && status !== 'open' && option !== null && made_by !== me.peek(),
    )
    open = room.decisions.value.filter(({ status }) => status === 'open').map(({ beat }) => beat)
    if (!ended) return
    panes.outcome.value = ended
    announce(`${titleOf(room, ended)} ${labelOf(ended)}`)
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

/** Shows how a decision has ended. It leads to the message that says so. */
export function OutcomeStrip({ panes }: { panes: Panes }) {
  const { room } = panes
  const decision = panes.outcome.value
  if (!decision) return null
  const read = () => {
    const { beat } = decision
    const message = room.messages.all.value.find(({ decides }) => decides?.beat === beat)
    panes.outcome.value = null
    if (message) panes.open(message.conversation_id, message._id)
    else panes.openSide({ name: 'decisions' })
  }
  return (
    <Strip kind="outcome" title={titleOf(room, decision)} onRead={read}>
      {labelOf(decision)}
    </Strip>
  )
}

function titleOf(room: Room, { status, on_behalf, made_by }: Decision): string {
  if (status === 'lapsed') return say('outcome.lapsed')
  if (on_behalf) return say('outcome.on_behalf')
  return say('outcome.by', { name: room.people.peek().get(made_by ?? '')?.name ?? '–' })
}

const labelOf = ({ option, options }: Decision) =>
  options.find((one) => one.option === option)?.label ?? ''
