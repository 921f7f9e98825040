import type { Schema } from '../../shared/forms/schema.js'
import { SituationParts } from '../../shared/room/situation.js'
import { Story } from '../../shared/room/story.js'
import { say } from '../words/words.js'
import { CatalogueLanguage } from './catalogue-language.js'

/** The facts to know before choosing a scenario. */
export function About({ blueprint }: { blueprint: Schema<'Blueprint'> }) {
  const { description, situation, run_sheet, participant_roles, beats, decision_points } = blueprint
  const minutes = run_sheet.at(-1)?.to_minute
  const played = run_sheet.filter(({ phase }) => phase === 'play')
  const playMinutes = (played.at(-1)?.to_minute ?? 0) - (played[0]?.from_minute ?? 0)
  return (
    <div class="stack">
      <CatalogueLanguage lang={blueprint.lang} />
      <Story as="p" class="lead-in">
        {description}
      </Story>
      {minutes !== undefined && <p>{say('lead.takesMinutes', { minutes, play: playMinutes })}</p>}
      {situation && (
        <details class="card stack tight read-before">
          <summary>{say('lead.readBefore')}</summary>
          <SituationParts situation={situation} />
        </details>
      )}
      {beats.length > 0 && (
        <section class="card stack tight">
          <h2>{say('lead.learn')}</h2>
          <Story as="ul" class="ticks">
            {beats.map(({ beat, learning_goal }) => (
              <li key={beat}>{learning_goal}</li>
            ))}
          </Story>
        </section>
      )}
      {decision_points.length > 0 && (
        <section class="card stack tight">
          <h2>{say('lead.teamDecides')}</h2>
          <ol class="plain-list">
            {decision_points.map(({ beat, question, deadline_minutes }) => (
              <li key={beat}>
                <Story>{question}</Story>{' '}
                <span class="muted small">{say('lead.minutes', { count: deadline_minutes })}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {participant_roles.length > 0 && (
        <section class="card stack tight">
          <h2>{say('lead.rolesForPeople')}</h2>
          <Story as="dl" class="terms">
            {participant_roles.map(({ role_key, title, brief }) => (
              <div key={role_key}>
                <dt>{title}</dt>
                <dd>{brief}</dd>
              </div>
            ))}
          </Story>
        </section>
      )}
    </div>
  )
}
