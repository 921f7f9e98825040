import { useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { ConfirmButton } from '../../shared/forms/confirm.js'
import type { Schema } from '../../shared/forms/schema.js'
import { written } from '../../shared/written.js'
import { nameOf } from '../calls/people.js'
import { createSeatLinks, revokeSeatLink } from '../calls/seats.js'
import { addParticipant, removeParticipant } from '../calls/sessions.js'
import { Choice } from '../elements/choice.js'
import { may } from '../me.js'
import { href } from '../router.js'
import { dateOf, say } from '../words/words.js'
import { CopyLink } from './copy-link.js'
import { forgetLink, keepLinks } from './kept-links.js'
import { NewLink } from './new-link.js'
import { guest } from './plan/seat-plan.js'
import type { SessionRead } from './session-reading.js'

type Place = Schema<'ParticipantAssignment'>

interface PlacesProps {
  all: SessionRead
  places: readonly Place[]
  onChange: () => Promise<void>
}

/** Who takes part, and how they get in. */
export function Places({ all, places, onChange }: PlacesProps) {
  const isOver = ['completed', 'cancelled'].includes(all.session.status)
  return (
    <section class="card stack">
      <h2>{say('lead.places')}</h2>
      {places.length === 0 && <p class="muted">{say('lead.noPlaces')}</p>}
      <ul class="rows">
        {places.map((place) => (
          <PlaceRow
            key={place._id}
            place={place}
            link={all.links?.find((one) => one.assignment_id === place._id)}
            url={all.kept.find((one) => one.assignment_id === place._id)?.url}
            isOver={isOver}
            onChange={onChange}
          />
        ))}
      </ul>
      {!isOver && may('addParticipant') && (
        <AddPlace all={all} places={places} onChange={onChange} />
      )}
      {places.length > 0 && may('createSeatLinks') && (
        <p>
          <a class="button" href={href('sessions', all.session._id, 'pack')}>
            {say('lead.pack')}
          </a>
        </p>
      )}
    </section>
  )
}

interface PlaceRowProps {
  place: Place
  link: Schema<'SeatLink'> | undefined
  /** The link itself, which only the tab that made it knows. */
  url: string | undefined
  isOver: boolean
  onChange: () => Promise<void>
}

function PlaceRow({ place, link, url, isOver, onChange }: PlaceRowProps) {
  const { session_id, user_id, full_name, role_title, is_guest, joined_at } = place
  const name = full_name ?? role_title ?? '–'
  const hasLink = link !== undefined && link.revoked_at === null
  const then = (act: () => Promise<unknown>) => async () => {
    await act()
    await onChange()
  }
  return (
    <li class="stack tight">
      <div class="row between">
        <div>
          <strong {...written}>{name}</strong>{' '}
          {is_guest && <span class="chip">{say('lead.seat.guest')}</span>}
          <p class="muted small">
            {role_title ?? say('lead.noRole')} ·{' '}
            {isOver
              ? say(joined_at ? 'lead.wasIn' : 'lead.wasNotIn')
              : say(joined_at ? 'lead.joined' : 'lead.notJoined')}
            {hasLink && (
              <>
                {' · '}
                {link.taken_at
                  ? say('lead.linkTaken', { date: dateOf(link.taken_at) })
                  : say('lead.linkMade')}
              </>
            )}
          </p>
          {url && !isOver && <CopyLink url={url} name={name} />}
          {hasLink && !url && !link.taken_at && !isOver && (
            <p class="muted small">{say('lead.linkElsewhere')}</p>
          )}
        </div>
        {!isOver && (
          <div class="row">
            {may('createSeatLinks') && (
              <NewLink place={place} name={name} endsLink={hasLink} onMade={onChange} />
            )}
            {hasLink && may('revokeSeatLink') && (
              <ConfirmButton
                title={say('lead.revokeLinkTitle', { name })}
                why={say('lead.revokeLinkWhy')}
                kind="quiet small"
                act={then(async () => {
                  await revokeSeatLink(session_id, place._id)
                  forgetLink(session_id, place._id)
                })}
                done={say('lead.linkRevoked')}
              >
                {say('lead.revokeLink')}
                <span class="unseen"> ({name})</span>
              </ConfirmButton>
            )}
            {may('removeParticipant') && (
              <ConfirmButton
                title={say('lead.removePlaceTitle', { name })}
                why={say('lead.removePlaceWhy')}
                kind="quiet small"
                act={then(() => removeParticipant(session_id, user_id))}
                done={say('lead.placeRemoved')}
              >
                {say('lead.removePlace')}
                <span class="unseen"> ({name})</span>
              </ConfirmButton>
            )}
          </div>
        )}
      </div>
    </li>
  )
}

function AddPlace({ all, places, onChange }: PlacesProps) {
  const roles = all.briefing.facilitator?.roles ?? []
  const taken = new Set(places.map(({ role_key }) => role_key))
  const free = roles.find(({ role_key }) => !taken.has(role_key))
  const [chosenSitter, setSitter] = useState<string | null>(null)
  const [chosenRole, setRole] = useState<string | null>(null)
  const sitter = chosenSitter ?? (may('createSeatLinks') ? guest : '')
  const role = chosenRole ?? free?.role_key ?? ''
  const action = useAction()
  const { _id } = all.session
  const seated = new Set(places.map(({ user_id }) => user_id))
  const add = async () => {
    if (sitter === guest) {
      keepLinks(_id, await createSeatLinks(_id, [{ guest: true, role_key: role || null }]))
    } else await addParticipant(_id, sitter, role || null)
    setSitter(null)
    setRole(null)
    await onChange()
  }
  return (
    <details>
      <summary>{say('lead.seat.add')}</summary>
      <ActionForm action={action} act={add} done={say('lead.placeAdded')}>
        <div class="pair">
          <Choice
            label={say('lead.seat.who')}
            value={sitter}
            options={[
              ...(may('createSeatLinks') ? [{ value: guest, label: say('lead.seat.guest') }] : []),
              ...(all.people ?? [])
                .filter((one) => !seated.has(one._id ?? ''))
                .map((one) => ({ value: one._id ?? '', label: nameOf(one) })),
            ]}
            onChange={setSitter}
          />
          <Choice
            label={say('lead.seat.role')}
            value={role}
            options={[
              ...roles.map(({ role_key, title }) => ({ value: role_key, label: title })),
              { value: '', label: say('lead.noRole') },
            ]}
            onChange={setRole}
          />
        </div>
        <div>
          <button type="submit" aria-disabled={action.isBusy.value}>
            {say('lead.seat.addNow')}
          </button>
        </div>
      </ActionForm>
    </details>
  )
}
