import type { Schema } from '../../../shared/forms/schema.js'
import { say } from '../../../shared/words/words.js'

/** What has happened, and the caller's own part in it. */
export function Situation({ briefing }: { briefing: Schema<'SessionBriefing'> }) {
  const { role } = briefing
  return (
    <>
      <section class="card stack tight">
        <h2>{say('play.situation')}</h2>
        <p class="text">{briefing.description ?? briefing.label}</p>
        {briefing.situation && <Place situation={briefing.situation} />}
      </section>
      {role ? <RoleCard role={role} /> : <p class="card">{say('play.no_role')}</p>}
    </>
  )
}

function Place({ situation }: { situation: Schema<'Situation'> }) {
  const { place, people, stakes, terms } = situation
  return (
    <>
      <h3>{say('situation.place')}</h3>
      <p class="text">{place}</p>
      <h3>{say('situation.people')}</h3>
      <p class="text">{people}</p>
      <h3>{say('situation.stakes')}</h3>
      <p class="text">{stakes}</p>
      {terms.length > 0 && (
        <>
          <h3>{say('situation.terms')}</h3>
          <dl class="terms">
            {terms.map(({ term, meaning }) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  )
}

function RoleCard({ role }: { role: Schema<'ParticipantRole'> }) {
  return (
    <section class="card stack role">
      <header>
        <p class="muted small">{say('play.your_role')}</p>
        <h2>{role.title}</h2>
      </header>
      <p class="text">{role.brief}</p>
      {role.goal && (
        <div>
          <h3>{say('play.your_goal')}</h3>
          <p class="text">{role.goal}</p>
        </div>
      )}
      {role.private_information && (
        <div class="secret">
          <h3>{say('play.only_you')}</h3>
          <p class="text">{role.private_information}</p>
        </div>
      )}
    </section>
  )
}
