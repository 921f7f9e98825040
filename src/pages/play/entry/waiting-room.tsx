import { useEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../shared/forms/schema.js'
import { Step } from '../../shared/forms/step.js'
import { Connection } from '../../shared/room/connection.js'
import { dateOf, say } from '../../shared/words/words.js'
import { AskTrainer } from '../room/ask-trainer.js'
import { closeOnEscape } from '../room/panes/escape.js'
import { Leave } from '../room/panes/leave.js'
import { isWide, type Panes } from '../room/panes/panes.js'
import { useFocus } from '../room/panes/side-pane.js'
import { Situation } from '../room/panes/situation.js'
import { followHistory } from '../room/panes/trail.js'
import { Team } from '../room/people.js'
import { TrainerStrip } from '../room/trainer-strip.js'

interface WaitingRoomProps {
  panes: Panes
  briefing: Schema<'SessionBriefing'>
}

/** Where participants are until the start. The start opens the room by itself. */
export function WaitingRoom({ panes, briefing }: WaitingRoomProps) {
  const { room } = panes
  return (
    <Step title={say('play.waiting')} above={briefing.name}>
      <Connection room={room} />
      <WithTrainer panes={panes} />
      <div class="notice row">
        <span class="spinner" aria-hidden="true" />
        <p>
          {briefing.starts_at
            ? say('play.starts_at', { time: dateOf(briefing.starts_at) })
            : say('play.starts_by_trainer')}{' '}
          {say('play.opens_by_itself')}
        </p>
      </div>
      <Situation briefing={briefing} />
      <section class="card stack tight">
        <h2>{say('play.team')}</h2>
        <Team room={room} />
      </section>
      <Leave session_id={room.session_id} />
    </Step>
  )
}

/** The private words with the trainers, which begin before the start. */
function WithTrainer({ panes }: { panes: Panes }) {
  const opener = useRef<HTMLButtonElement>(null)
  const isOpen = panes.side.value?.name === 'trainer'
  useFocus(panes, isWide.value ? 'conversation' : 'list', opener)
  useEffect(() => followHistory(panes), [panes])
  useEffect(() => closeOnEscape(panes), [panes])
  return (
    <>
      {!isOpen && <TrainerStrip panes={panes} />}
      <button
        ref={opener}
        type="button"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? panes.back() : panes.openSide({ name: 'trainer' }, true))}
      >
        {say('side.trainer')}
      </button>
      {isOpen && (
        <section class="card pane with-trainer" aria-label={say('side.trainer')}>
          <AskTrainer panes={panes} />
        </section>
      )}
    </>
  )
}
