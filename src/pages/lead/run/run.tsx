import { useEffect, useMemo, useState } from 'preact/hooks'
import { Notice } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { Connection } from '../../shared/room/connection.js'
import { StoryLanguage } from '../../shared/room/story.js'
import { faultText } from '../../shared/service.js'
import { readSessions } from '../calls/sessions.js'
import { useLoaded } from '../elements/loaded.js'
import { aboutSession } from '../elements/printed.js'
import { go, href } from '../router.js'
import { View } from '../view.js'
import { say, type Word } from '../words/words.js'
import { Desk } from './desk.js'
import { DeskHead } from './desk-head.js'
import { DeskRoom, type Part } from './desk-room.js'

interface RunProps {
  ids: readonly string[]
  /** The part that a narrow screen shows first. */
  part?: Part
}

/** Leads one session, or two side by side. */
export function Run({ ids, part }: RunProps) {
  const [attempt, setAttempt] = useState(0)
  const rooms = useMemo(() => ids.map((id) => new DeskRoom(id, part)), [...ids, attempt])
  useEffect(() => {
    for (const room of rooms) void room.open()
    return () => {
      for (const room of rooms) room.close()
    }
  }, [rooms])
  const [first = ''] = ids
  const name = rooms[0]?.briefing.value?.name ?? say('lead.session')
  const waiting = rooms.flatMap(({ privateWords }) => privateWords.waiting.value).length
  return (
    <View
      kind="full"
      waiting={waiting}
      title={rooms.length > 1 ? say('lead.two') : name}
      printed={rooms.map((room) => aboutRoom(room, rooms.length > 1)).join(', ')}
      over={<a href={href('sessions', first)}>← {say('lead.session')}</a>}
      actions={
        <>
          {rooms.length === 1 && rooms[0]?.briefing.value && <DeskHead room={rooms[0]} />}
          <Beside ids={ids} />
        </>
      }
    >
      <div class="desks">
        {rooms.map((room) => (
          <div key={room.session_id} class="desk-frame">
            <CutOff room={room} onConnect={() => setAttempt(attempt + 1)} />
            <Connection room={room} />
            {!room.fault.value && (
              <StoryLanguage.Provider value={room.briefing.value?.lang ?? ''}>
                <Desk room={room} isOneOfTwo={rooms.length > 1} />
              </StoryLanguage.Provider>
            )}
          </div>
        ))}
      </div>
    </View>
  )
}

/** The name of a single session is the heading. */
function aboutRoom({ session, briefing }: DeskRoom, isNamed: boolean): string {
  const { value } = session.value
  if (!value) return ''
  return aboutSession(isNamed ? value : { ...value, name: '' }, briefing.value?.label)
}

/** Why a session cannot be read, or is no longer followed, and a way on. */
function CutOff({ room, onConnect }: { room: DeskRoom; onConnect: () => void }) {
  const fault = room.fault.value
  const end = room.end.value
  if (fault === null && (end === null || end === 'session_ended')) return null
  return (
    <Notice kind="bad">
      <div class="row between">
        <p>{fault ? faultText(fault) : say(cutBy(end))}</p>
        <button type="button" onClick={onConnect}>
          {say('lead.connectAgain')}
        </button>
      </div>
    </Notice>
  )
}

const cutBy = (end: Schema<'StreamEndReason'> | null): Word =>
  end === 'too_many_streams' ? 'lead.tooManyStreams' : 'lead.accessEnded'

/** Chooses the session to watch beside the first one. */
function Beside({ ids: [first = '', second = ''] }: { ids: readonly string[] }) {
  const loaded = useLoaded(readSessions, [])
  const others = (loaded.data.value ?? []).filter(
    ({ _id, status }) =>
      _id !== first && (['running', 'paused'].includes(status) || _id === second),
  )
  if (others.length === 0) return null
  return (
    <label class="row beside small">
      {say('lead.beside')}
      <select
        value={second}
        onChange={({ currentTarget: { value } }) => {
          if (value) go('sessions', first, 'run', value)
          else go('sessions', first, 'run')
        }}
      >
        <option value="">{say('lead.besideNone')}</option>
        {others.map(({ _id, name }) => (
          <option key={_id} value={_id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
