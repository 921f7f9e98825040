import { useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Field, Notice } from '../../shared/forms/form.js'
import type { Schema } from '../../shared/forms/schema.js'
import { written } from '../../shared/written.js'
import { invite, mostPeople, readPeople } from '../calls/people.js'
import { useKept } from '../draft.js'
import { Choice } from '../elements/choice.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { OnlyFirst } from '../elements/only-first.js'
import { may } from '../me.js'
import roles from '../roles.json'
import { View } from '../view.js'
import { say, type Word } from '../words/words.js'
import { Unverified } from './unverified.js'

/** The roles that the user may grant: trainers grant only those that lead nothing. */
const invitable = () => {
  const leading = may('updateOrganization') ? ['super_admin'] : roles.inviteMember
  return roles.getCurrentUser.filter((role) => !leading.includes(role)).reverse()
}

/** The people of the organization, and a way to invite more. */
export function People() {
  const loaded = useLoaded(readPeople)
  return (
    <View title={say('lead.people')}>
      <Unverified />
      <div class="halves">
        <Await loaded={loaded}>
          {(people) => (
            <div class="stack">
              <ul class="card rows">
                {people.map(({ _id, full_name, email, role }) => (
                  <li key={_id} class="row between">
                    <div>
                      <strong {...written}>{full_name ?? email}</strong>
                      <p class="muted small">{email}</p>
                    </div>
                    <span class="chip">{say(`lead.role.${role}` as Word)}</span>
                  </li>
                ))}
              </ul>
              <OnlyFirst count={people.length} most={mostPeople} />
            </div>
          )}
        </Await>
        <Invite onInvited={loaded.load} />
      </div>
    </View>
  )
}

const empty = { first_name: '', last_name: '', email: '', access_level: 'employee' }

function Invite({ onInvited }: { onInvited: () => Promise<void> }) {
  const kept = useKept('invitation', empty)
  const form = kept.fields
  const [invited, setInvited] = useState<Schema<'InvitedMember'> | null>(null)
  const action = useAction()
  const send = async () => {
    setInvited(await invite(form))
    kept.set(empty)
    kept.forget()
    await onInvited()
  }
  const set = (name: keyof typeof empty) => (value: string) => kept.set({ [name]: value })
  const field = (name: keyof typeof empty) => ({
    value: form[name],
    onInput: set(name),
    fault: action.faultAt(name),
    required: true,
  })
  return (
    <section class="card stack">
      <h2>{say('lead.invite')}</h2>
      <p class="muted small">{say('lead.inviteWhy')}</p>
      <ActionForm action={action} act={send} done={say('lead.invited')}>
        <div class="pair">
          <Field label={say('lead.firstName')} {...field('first_name')} />
          <Field label={say('lead.lastName')} {...field('last_name')} />
        </div>
        <Field label={say('login.email')} type="email" {...field('email')} />
        <Choice
          label={say('lead.roleOfPerson')}
          value={form.access_level}
          options={invitable().map((role) => ({
            value: role,
            label: say(`lead.role.${role}` as Word),
          }))}
          onChange={set('access_level')}
        />
        <div>
          <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
            {say('lead.inviteNow')}
          </button>
        </div>
      </ActionForm>
      {invited && (
        <Notice kind="good">
          <p>
            {invited.email_sent
              ? say('lead.mailOnItsWay', { email: invited.user.email })
              : say('lead.invitedByHand', { email: invited.user.email })}
          </p>
          {invited.temporary_password && (
            <p>
              <strong>{invited.temporary_password}</strong>
            </p>
          )}
        </Notice>
      )}
    </section>
  )
}
