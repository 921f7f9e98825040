import type { Schema } from '../../../shared/forms/schema.js'
import { SituationParts } from '../../../shared/room/situation.js'
import { Story } from '../../../shared/room/story.js'
import { aboutSession, printedOn } from '../../elements/printed.js'
import { dateOf, say } from '../../words/words.js'
import { CopyLink } from '../copy-link.js'
import type { PackRead } from './pack-reading.js'

/** The sheet for all participants. */
export function Situation({ session, briefing }: Pick<PackRead, 'session' | 'briefing'>) {
  return (
    <section class="card stack sheet-of-paper">
      <h2>{briefing.label}</h2>
      <p class="muted">
        {aboutSession(session)}
        <span class="printed"> · {printedOn}</span>
      </p>
      {briefing.situation ? (
        <SituationParts situation={briefing.situation}>
          <Cast briefing={briefing} />
        </SituationParts>
      ) : (
        <>
          <h3>{say('lead.situation')}</h3>
          <p class="text">{briefing.description}</p>
          <h3>{say('situation.people')}</h3>
          <Cast briefing={briefing} />
        </>
      )}
      <h3>{say('lead.channels')}</h3>
      <Story as="dl" class="terms">
        {briefing.channels.map(({ channel_name, purpose }) => (
          <div key={channel_name}>
            <dt>#{channel_name}</dt>
            <dd>{purpose}</dd>
          </div>
        ))}
      </Story>
    </section>
  )
}

const Cast = ({ briefing }: { briefing: Schema<'SessionBriefing'> }) => (
  <Story as="dl" class="terms">
    {briefing.cast.map(({ character_id, full_name, title, department }) => (
      <div key={character_id}>
        <dt>{full_name}</dt>
        <dd>{[title, department].filter(Boolean).join(', ')}</dd>
      </div>
    ))}
  </Story>
)

interface CardProps {
  place: Schema<'ParticipantAssignment'>
  briefing: Schema<'SessionBriefing'>
  link: Schema<'NewSeatLink'> | undefined
  /** What is known of the link also in other tabs. */
  made: Schema<'SeatLink'> | undefined
}

/** One sheet for one person: the role, what only this person knows, and the way in. */
export function Card({ place, briefing, link, made }: CardProps) {
  const role = briefing.facilitator?.roles.find((one) => one.role_key === place.role_key)
  const name = role?.title ?? place.full_name ?? '–'
  return (
    <section class="card stack sheet-of-paper role-card">
      <div class="role-words stack tight">
        <h2>{name}</h2>
        {!place.is_guest && role && <p class="muted">{place.full_name}</p>}
        {role && (
          <>
            <Story as="p">{role.brief}</Story>
            {role.private_information && (
              <>
                <h3>{say('lead.onlyYou')}</h3>
                <Story as="p">{role.private_information}</Story>
              </>
            )}
            {role.goal && (
              <>
                <h3>{say('lead.yourGoal')}</h3>
                <Story as="p">{role.goal}</Story>
              </>
            )}
          </>
        )}
      </div>
      {link ? (
        <figure class="way-in">
          <img
            src={pictureOf(link.qr_svg)}
            alt={say('lead.qrOf', { name })}
            width="180"
            height="180"
          />
          <figcaption class="small">
            <p>{say('lead.scan')}</p>
            <p class="link-text">
              <a href={link.url} target="_blank" rel="noopener">
                {link.url}
              </a>
            </p>
            <CopyLink url={link.url} name={name} />
          </figcaption>
        </figure>
      ) : (
        <p class="muted small">{withoutLink(place, made)}</p>
      )}
    </section>
  )
}

/** Why a sheet shows no link. */
function withoutLink({ joined_at, full_name }: CardProps['place'], made: CardProps['made']) {
  if (joined_at) return say('lead.placeTaken', { name: full_name ?? '–' })
  if (made?.taken_at) return say('lead.linkTaken', { date: dateOf(made.taken_at) })
  return made ? say('lead.linkElsewhere') : say('lead.noLink')
}

/** A picture as an address: the policy of the page allows those, and no markup from outside. */
const pictureOf = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`
