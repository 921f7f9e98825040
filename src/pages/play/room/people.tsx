import { Avatar } from '../../shared/room/avatar.js'
import type { Person } from '../../shared/room/people.js'
import type { Room } from '../../shared/room/room.js'
import { Story } from '../../shared/room/story.js'
import { say } from '../../shared/words/words.js'
import { me } from '../state.js'

/** Who is who: the team, and those who are simulated. */
export function People({ room }: { room: Room }) {
  const cast = [...room.people.value.values()].filter(({ isCharacter }) => isCharacter)
  return (
    <>
      <section class="stack tight">
        <h3>{say('play.team')}</h3>
        <Team room={room} />
      </section>
      <section class="stack tight">
        <h3>{say('room.cast')}</h3>
        <p class="muted small">{say('room.cast_hint')}</p>
        <PersonList people={cast} />
      </section>
    </>
  )
}

/** The people who take part. */
export function Team({ room }: { room: Room }) {
  const team = [...room.people.value.values()].filter(({ isCharacter }) => !isCharacter)
  return <PersonList people={team} />
}

function PersonList({ people }: { people: Person[] }) {
  return (
    <ul class="plain stack tight">
      {people.map((one) => (
        <li key={one._id} class="person">
          <Avatar person={one} />
          <div>
            <p>
              {one.name}{' '}
              {one._id === me.value && <span class="chip">{say('room.that_is_you')}</span>}
            </p>
            {one.title && (
              <Story as="p" class="muted small">
                {one.title}
              </Story>
            )}
          </div>
          {one.isCharacter && <span class="chip machine">{say('message.machine')}</span>}
        </li>
      ))}
    </ul>
  )
}
