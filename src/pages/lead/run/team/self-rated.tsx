import type { Schema } from '../../../shared/forms/schema.js'
import { readRatings } from '../../calls/sessions.js'
import { Await, useLoaded } from '../../elements/loaded.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { nameOf } from './private-talk.js'

const againMs = 15_000

interface SelfRatedProps {
  places: readonly Schema<'ParticipantAssignment'>[]
  room: DeskRoom
}

/** After the end: who has rated themselves. The service tells it to those whose own ratings are complete. */
export function SelfRated({ places, room }: SelfRatedProps) {
  const loaded = useLoaded(() => readRatings(room.session_id), [room], againMs)
  const joined = places.filter(({ joined_at }) => joined_at !== null)
  return (
    <div class="small stack tight">
      <p class="muted">{say('lead.unseenAfterEnd')}</p>
      <Await loaded={loaded}>
        {({ complete, criteria, self_ratings }) => {
          if (criteria.length === 0) return null
          if (!complete) return <p class="muted">{say('lead.selfRatingsLater')}</p>
          const rated = new Set(self_ratings.map(({ assignment_id }) => assignment_id))
          return (
            <>
              <Names word="lead.haveRated" places={joined.filter(({ _id }) => rated.has(_id))} />
              <Names word="lead.notRated" places={joined.filter(({ _id }) => !rated.has(_id))} />
            </>
          )
        }}
      </Await>
    </div>
  )
}

interface NamesProps {
  word: 'lead.haveRated' | 'lead.notRated'
  places: SelfRatedProps['places']
}

const Names = ({ word, places }: NamesProps) =>
  places.length > 0 && <p>{say(word, { names: places.map(nameOf).join(', ') })}</p>
