import type { Schema } from '../../../shared/forms/schema.js'
import { durationOf, say } from '../../../shared/words/words.js'
import { may } from '../../me.js'
import type { DeskRoom } from '../desk-room.js'
import { runSince } from '../real-time.js'
import { PrivateTalk } from './private-talk.js'

type Place = Schema<'ParticipantAssignment'>

/** Opens the private words of a place, at the newest and with the focus in their field. */
function openTalk(room: DeskRoom, place_id: string | null): void {
  room.talk.value = place_id
  requestAnimationFrame(() => {
    const talk = document.getElementById(`talk-${place_id}`)
    talk?.querySelector('textarea')?.focus({ preventScroll: true })
    talk?.scrollIntoView({ block: 'end' })
  })
}

/** Who takes part: who has joined, and for how long each has been silent. */
export function Participants({ room }: { room: DeskRoom }) {
  const places = room.participants.value.value
  return (
    <div class="stack tight">
      <PeopleHead room={room} />
      {places?.length === 0 && <p class="muted small">{say('lead.noPlaces')}</p>}
      <ul class="people">
        {places?.map((place) => (
          <Participant key={place._id} place={place} room={room} />
        ))}
      </ul>
    </div>
  )
}

/** The heading says when someone has asked, because the list may be scrolled, and leads there. */
function PeopleHead({ room }: { room: DeskRoom }) {
  const waiting = room.asking.value.size
  return (
    <div class="row between">
      <h2>{say('lead.part.people')}</h2>
      {waiting > 0 && (
        <button type="button" class="chip warn" onClick={() => openTalk(room, room.nextAsking())}>
          {say('lead.wordsNew', { count: waiting })}
          <span class="unseen"> {say('lead.wordsAnswer')}</span>
        </button>
      )}
    </div>
  )
}

function Participant({ place, room }: { place: Place; room: DeskRoom }) {
  const isTalking = room.talk.value === place._id
  const { full_name, role_title, joined_at, left_at } = place
  const name = full_name ?? role_title ?? '–'
  const words = room.privateWords.all.value.filter((one) => one.assignment_id === place._id)
  const unanswered = words.length - 1 - words.findLastIndex((one) => one.from_trainer)
  return (
    <li class="small">
      <div class="row between">
        <strong>{name}</strong>
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
      <p class="presence">
        <Presence place={place} room={room} />{' '}
        <span class="muted">{joined_at && !left_at && silence(place, room)}</span>
      </p>
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
  const time = durationOf(-room.clock.until(presence.since))
  return <span class="chip warn">{say('lead.offlineFor', { time })}</span>
}

/** For how long a participant has written nothing. */
function silence({ last_spoke_at, user_id }: Place, room: DeskRoom): string {
  const { elapsed, status } = room.clock
  if (elapsed.value === null) return ''
  if (!last_spoke_at) return say('lead.neverSpoke')
  const last = room.lastSpoke.value.get(user_id)
  if (last === undefined || !['running', 'paused'].includes(status.value ?? '')) return ''
  return say('lead.silentFor', { time: runSince(room, last) })
}
