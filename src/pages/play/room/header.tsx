import { useLayoutEffect, useRef } from 'preact/hooks'
import { Connection } from '../../shared/room/connection.js'
import { minuteOf } from '../../shared/room/minute.js'
import type { Room } from '../../shared/room/room.js'
import { Story } from '../../shared/room/story.js'
import { durationOf, say } from '../../shared/words/words.js'
import { written } from '../../shared/written.js'
import { type Deadline, deadlinesOf, mayDecide } from './decisions/deadlines.js'
import { OutcomeStrip } from './decisions/outcome-strip.js'
import { openQuestion } from './decisions/questions.js'
import { unsentLabel } from './decisions/unsent-choice.js'
import { untilMinute, whomFor } from './decisions/whom.js'
import type { Panes } from './panes/panes.js'
import { TrainerStrip } from './trainer-strip.js'

interface HeaderProps {
  panes: Panes
  close: (() => void) | null
}

/** The name of the session, its clock, what is wrong now, what waits, and what is new. */
export function Header({ panes, close }: HeaderProps) {
  const { room } = panes
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    // The view before had the focus.
    if (document.activeElement === document.body) heading.current?.focus()
  }, [])
  return (
    <header class="room-head">
      <div class="row between head-line">
        <h1 ref={heading} tabIndex={-1} {...written}>
          {room.briefing.value?.name}
        </h1>
        {close ? (
          <button type="button" onClick={close}>
            {say('room.to_end')}
          </button>
        ) : (
          <Clock panes={panes} />
        )}
      </div>
      <State panes={panes} />
      <OutcomeStrip panes={panes} />
      <NextDeadline panes={panes} />
      <TrainerStrip panes={panes} />
    </header>
  )
}

function Clock({ panes }: { panes: Panes }) {
  const { elapsed, speed } = panes.room.clock
  if (elapsed.value === null) return null
  return (
    <div class="clock">
      <p>
        <strong>{say('room.minute', { minute: minuteOf(elapsed.value) })}</strong>
      </p>
      {speed.value > 1 && <p class="muted small">{say('room.speed', { speed: speed.value })}</p>}
    </div>
  )
}

function State({ panes }: { panes: Panes }) {
  const { clock, trouble } = panes.room
  const status = clock.status.value
  if (trouble.value !== 'lost' && (status === 'paused' || status === 'failed')) {
    return <p class="state warn">{say(`room.${status}`)}</p>
  }
  return <Connection room={panes.room} />
}

/** The deadline that comes next. It leads to what is asked. */
function NextDeadline({ panes }: { panes: Panes }) {
  const { room } = panes
  const [next, ...others] = deadlinesOf(room)
  if (!next) return null
  const left = next.at === null ? next.left_ms : room.clock.until(next.at)
  const open = () =>
    next.decision ? panes.openSide({ name: 'decisions' }) : openQuestion(panes, next)
  const isNear = left !== null && left < 60_000
  const note = noteOn(room, next)
  const minute = untilMinute(room, next.at)
  const what = whatToDo(next, room)
  const kind = ['deadline', isNear && 'near', what === 'room.decide' && 'own']
    .filter(Boolean)
    .join(' ')
  const isUnsent = next.decision !== null && unsentLabel(room, next.decision) !== null
  return (
    <button type="button" class={kind} onClick={open}>
      <span>
        <span class="deadline-text">
          <strong>{say(what)}</strong> <Story>{next.text}</Story>
          {others.length > 0 && (
            <span class="muted"> {say('room.more', { count: others.length })}</span>
          )}
        </span>
        <span class="small block">
          {whomFor(room, next.decision)} {minute !== null && say('room.until', { minute })}{' '}
          {isUnsent && <strong>{say('decision.unsent')}</strong>}
        </span>
      </span>
      {left !== null && (
        <span class="time-left">
          <span translate={false}>{durationOf(left)}</span>
          {note !== null && <span class="small block">{note}</span>}
        </span>
      )}
    </button>
  )
}

/** What the time left is counted in, or that it does not count down now. */
function noteOn({ clock }: Room, { at }: Deadline): string | null {
  if (at === null) return say('room.when_on')
  return clock.speed.value === 1 ? null : say('room.real_time')
}

/** Those who may not decide can still advise those who may. */
function whatToDo({ decision }: Deadline, { briefing }: Room) {
  if (!decision) return 'room.answer'
  return mayDecide(decision, briefing.value?.role?.role_key) ? 'room.decide' : 'room.advise'
}
