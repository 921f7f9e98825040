import type { Schema } from '../../../shared/forms/schema.js'
import { SituationParts } from '../../../shared/room/situation.js'
import { Story } from '../../../shared/room/story.js'
import { say } from '../../../shared/words/words.js'

/** What has happened, and the caller's own part in it. */
export function Situation({ briefing }: { briefing: Schema<'SessionBriefing'> }) {
  const { role } = briefing
  return (
    <>
      <section class="card stack tight">
        <h2>{say('play.situation')}</h2>
        {briefing.situation ? (
          <SituationParts situation={briefing.situation} />
        ) : (
          <p class="text">{briefing.description ?? briefing.label}</p>
        )}
      </section>
      {role ? <RoleCard role={role} /> : <p class="card">{say('play.no_role')}</p>}
    </>
  )
}

function RoleCard({ role }: { role: Schema<'ParticipantRole'> }) {
  return (
    <section class="card stack role">
      <header>
        <p class="muted small">{say('play.your_role')}</p>
        <Story as="h2">{role.title}</Story>
      </header>
      <Story as="p" class="text">
        {role.brief}
      </Story>
      {role.goal && (
        <div>
          <h3>{say('play.your_goal')}</h3>
          <Story as="p" class="text">
            {role.goal}
          </Story>
        </div>
      )}
      {role.private_information && (
        <div class="secret">
          <h3>{say('play.only_you')}</h3>
          <Story as="p" class="text">
            {role.private_information}
          </Story>
        </div>
      )}
    </section>
  )
}
