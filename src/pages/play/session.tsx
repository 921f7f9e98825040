import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError } from '../../client/client.js'
import type { Schema } from '../shared/forms/schema.js'
import { Step, Waiting } from '../shared/forms/step.js'
import { Connection } from '../shared/room/connection.js'
import type { Room } from '../shared/room/room.js'
import { StoryLanguage } from '../shared/room/story.js'
import { readStored, store } from '../shared/stored.js'
import { say } from '../shared/words/words.js'
import { End } from './end/end.js'
import { Fault } from './entry/fault.js'
import { WaitingRoom } from './entry/waiting-room.js'
import { Welcome } from './entry/welcome.js'
import { announceRoom } from './room/announcements.js'
import { Panes } from './room/panes/panes.js'
import { Situation } from './room/panes/situation.js'
import { RoomView } from './room/room-view.js'
import { placeAgain } from './visit.js'

/** The steps of one session, from the name to the good-bye. */
export function Session({ room }: { room: Room }) {
  const briefing = room.briefing.value
  const error = room.fault.value ?? endOf(room)
  if (error) return <Fault error={error} retry={placeAgain()} />
  if (!briefing) {
    const isAway = room.connection.value === 'waiting'
    return <Waiting text={isAway ? say('play.trying') : undefined} />
  }
  return (
    <StoryLanguage.Provider value={briefing.lang ?? ''}>
      {briefing.joined ? (
        <Joined room={room} briefing={briefing} />
      ) : (
        <Welcome room={room} briefing={briefing} />
      )}
    </StoryLanguage.Provider>
  )
}

/** A stream that ends before the session does, as an error. */
function endOf(room: Room): ApiError | null {
  const reason = room.end.value
  if (reason === null || reason === 'session_ended') return null
  return new ApiError(new Response(null, { status: 409 }), { code: reason })
}

interface JoinedProps {
  room: Room
  briefing: Schema<'SessionBriefing'>
}

function Joined({ room, briefing }: JoinedProps) {
  const briefed = room.storedAs('briefed')
  const isBriefed = useSignal(readStored(briefed) !== null)
  const isReadingOn = useSignal(false)
  const panes = useMemo(() => new Panes(room), [room])
  const status = useComputed(() => room.clock.status.value ?? briefing.status).value
  useEffect(() => {
    void room.open()
    const stop = announceRoom(room)
    return () => {
      stop()
      panes.questions.stop()
    }
  }, [room])
  const isOver = status === 'completed' || status === 'cancelled'
  if (isOver && !isReadingOn.value) {
    return <End panes={panes} status={status} readOn={() => (isReadingOn.value = true)} />
  }
  const goOn = () => {
    store(briefed, true)
    isBriefed.value = true
  }
  if (!isBriefed.value && !isOver) return <Briefing room={room} briefing={briefing} onRead={goOn} />
  if (status === 'draft' || status === 'scheduled') {
    return <WaitingRoom panes={panes} briefing={briefing} />
  }
  return <RoomView panes={panes} close={isOver ? () => (isReadingOn.value = false) : null} />
}

interface BriefingProps extends JoinedProps {
  onRead(): void
}

function Briefing({ room, briefing, onRead }: BriefingProps) {
  return (
    <Step title={say('play.briefing')} above={briefing.name}>
      <Connection room={room} />
      <p>{say('play.briefing_hint')}</p>
      <Situation briefing={briefing} />
      <button type="button" class="primary wide" onClick={onRead}>
        {say('play.briefing_read')}
      </button>
    </Step>
  )
}
