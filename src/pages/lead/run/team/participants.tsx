import type { Schema } from '../../../shared/forms/schema.js'
import { written } from '../../../shared/written.js'
import { may, mayRate } from '../../me.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { realTime, runBetween } from '../real-time.js'
import { nameOf, openTalk, PrivateTalk } from './private-talk.js'
import { SelfRated } from './self-rated.js'
import { TalkToAll } from './talk-to-all.js'

type Place = Schema<'ParticipantAssignment'>

/** Who takes part: who has joined, and for how long each has been silent. */
export function Participants({ room }: { room: DeskRoom }) {
  const places = room.participants.value.value
  const isOver = room.clock.status.value === 'completed'
  return (
    <div class="stack tight">
      <PeopleHead room={room} />
      {places?.length === 0 && <p class="muted small">{say('lead.noPlaces')}</p>}
      <ul class="people">
        {places?.map((place) => (
          <Participant key={place._id} place={place} room={room} />
        ))}
      </ul>
      {isOver && places && mayRate(room.session.value.value) && (
        <SelfRated places={places} room={room} />
      )}
      {may('answerParticipant') && places && places.length > 1 && (
        <TalkToAll places={places} room={room} />
      )}
    </div>
  )
}

/** The heading says when someone has asked, because the list may be scrolled, and leads there. */
function PeopleHead({ room }: { room: DeskRoom }) {
  const waiting = room.privateWords.waiting.value.length
  return (
    <div class="row between">
      <h2>{say('lead.part.people')}</h2>
      {waiting > 0 && (
        <button
          type="button"
          class="chip warn"
          onClick={() => openTalk(room, room.privateWords.nextAfter(room.talk.value))}
        >
          {say('lead.wordsNew', { count: waiting })}
          <span class="unseen"> {say('lead.wordsAnswer')}</span>
        </button>
      )}
    </div>
  )
}

function Participant({ place, room }: { place: Place; room: DeskRoom }) {
  const isTalking = room.talk.value === place._id
  const { role_title, joined_at, left_at } = place
  const name = nameOf(place)
  const words = room.privateWords.all.value.filter((one) => one.assignment_id === place._id)
  const isOver = room.clock.status.value === 'completed'
  const unanswered = room.privateWords.asking.value.get(place._id)?.length ?? 0
  return (
    <li class="small">
      <div class="row between">
        <strong {...written}>{name}</strong>
        {may('answerParticipant') && (
          <button
            type="button"
            class={unanswered > 0 ? 'small' : 'quiet small'}
            aria-expanded={isTalking}
            onClick={() => {
              if (isTalking && unanswered === 0) room.talk.value = null
              else openTalk(room, place._id)
            }}
          >
            {unanswered > 0 ? (
              <span class="chip warn">{say('lead.wordsNew', { count: unanswered })}</span>
            ) : (
              say('lead.words')
            )}
            <span class="unseen"> {name}</span>
          </button>
        )}
      </div>
      {role_title !== name && <p class="muted">{role_title}</p>}
      {!isOver && (
        <p class="presence">
          <Presence place={place} room={room} />{' '}
          {joined_at && !left_at && <Silence place={place} room={room} />}
        </p>
      )}
      {isTalking && <PrivateTalk place={place} name={name} words={words} room={room} />}
    </li>
  )
}

/** Whether a participant is there, in a word. */
function Presence({ place, room }: { place: Place; room: DeskRoom }) {
  const { joined_at, left_at, presence } = place
  if (left_at) return <span class="chip warn">{say('lead.hasLeft')}</span>
  if (!joined_at) {
    return <span class="chip">{say(presence?.online ? 'lead.isComing' : 'lead.notJoined')}</span>
  }
  if (presence?.online) return <span class="chip good">{say('lead.online')}</span>
  if (!presence?.since) return <span class="chip warn">{say('lead.offline')}</span>
  const time = realTime(room, -room.clock.until(presence.since))
  return <span class="chip warn">{say('lead.offlineFor', { time })}</span>
}

/** After how much silence a trainer should look after somebody. */
const longSilenceMs = 5 * 60_000

/** For how long a participant has written nothing. A long silence stands out. */
function Silence({ place, room }: { place: Place; room: DeskRoom }) {
  const { last_spoke_at, joined_at, user_id } = place
  const { elapsed, status } = room.clock
  if (elapsed.value === null) return null
  const last = last_spoke_at ? room.lastSpoke.value.get(user_id) : 0
  if (last === undefined || !['running', 'paused'].includes(status.value ?? '')) return null
  const joinedMs = joined_at ? -room.clock.until(joined_at) : 0
  const silentMs = runBetween(room, last, elapsed.value)
  const isLong = Math.min(silentMs, last_spoke_at ? silentMs : joinedMs) > longSilenceMs
  return (
    <span class={isLong ? 'chip warn' : 'muted'}>
      {last_spoke_at
        ? say('lead.silentFor', { time: realTime(room, silentMs) })
        : say('lead.neverSpoke')}
    </span>
  )
}
