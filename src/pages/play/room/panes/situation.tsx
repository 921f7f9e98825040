import type { Schema } from '../../../shared/forms/schema.js'
import { SituationParts } from '../../../shared/room/situation.js'
import { say, storyLanguage } from '../../../shared/words/words.js'

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
        <h2 lang={storyLanguage}>{role.title}</h2>
      </header>
      <p class="text" lang={storyLanguage}>
        {role.brief}
      </p>
      {role.goal && (
        <div>
          <h3>{say('play.your_goal')}</h3>
          <p class="text" lang={storyLanguage}>
            {role.goal}
          </p>
        </div>
      )}
      {role.private_information && (
        <div class="secret">
          <h3>{say('play.only_you')}</h3>
          <p class="text" lang={storyLanguage}>
            {role.private_information}
          </p>
        </div>
      )}
    </section>
  )
}
