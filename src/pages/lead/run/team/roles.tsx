import { Story } from '../../../shared/room/story.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { nameOf } from './private-talk.js'

/** What each role of the session knows, and who plays it. Closed at first: others may see the screen. */
export function Roles({ room }: { room: DeskRoom }) {
  const places = room.participants.value.value ?? []
  const played = room.briefing.value?.facilitator?.roles.flatMap((role) => {
    const place = places.find(({ role_key }) => role_key === role.role_key)
    return place ? [{ ...role, name: nameOf(place) }] : []
  })
  if (!played?.length) return null
  return (
    <details class="small">
      <summary>{say('lead.rolesKnow')}</summary>
      {played.map(({ role_key, title, name, brief, private_information, goal }) => (
        <section key={role_key} class="stack tight played-role">
          <h3>{name === title ? title : `${title} · ${name}`}</h3>
          <Story as="p">{brief}</Story>
          <dl class="terms">
            {private_information && (
              <>
                <dt>{say('lead.onlyThey')}</dt>
                <Story as="dd">{private_information}</Story>
              </>
            )}
            {goal && (
              <>
                <dt>{say('lead.theirGoal')}</dt>
                <Story as="dd">{goal}</Story>
              </>
            )}
          </dl>
        </section>
      ))}
    </details>
  )
}
