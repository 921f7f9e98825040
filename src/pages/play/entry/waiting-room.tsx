import { useEffect } from 'preact/hooks'
import type { Schema } from '../../shared/forms/schema.js'
import { Step } from '../../shared/forms/step.js'
import type { Room } from '../../shared/room/room.js'
import { dateOf, say } from '../../shared/words/words.js'
import { Leave } from '../room/panes/leave.js'
import { Situation } from '../room/panes/situation.js'
import { Team } from '../room/people.js'

interface WaitingRoomProps {
  room: Room
  briefing: Schema<'SessionBriefing'>
}

/** How often the names of the others are read again. Before the start, no event tells of them. */
const everyMs = 10_000

/** Where participants are until the start. The start opens the room by itself. */
export function WaitingRoom({ room, briefing }: WaitingRoomProps) {
  useEffect(() => {
    const timer = setInterval(() => room.readBriefing().catch(() => {}), everyMs)
    return () => clearInterval(timer)
  }, [room])
  return (
    <Step title={say('play.waiting')} above={briefing.name}>
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
