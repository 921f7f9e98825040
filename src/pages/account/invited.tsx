import { Field } from '../shared/forms/form.js'
import type { Schema } from '../shared/forms/schema.js'
import { Step } from '../shared/forms/step.js'
import { dateOf, say } from '../shared/words/words.js'
import { NewPassword } from './new-password.js'
import { accept } from './visit.js'

/** Returns which page a role works on, and the words that say what for. */
function pageOf(role: Schema<'Role'>) {
  if (role === 'executive') return ['lead', 'account.as_executive'] as const
  if (role === 'employee') return ['play', 'account.as_employee'] as const
  return ['lead', role === 'hr' ? 'account.as_hr' : 'account.as_admin'] as const
}

/** Says who invites whom as what, and asks for a password. */
export function Invited({ invitation }: { invitation: Schema<'PendingInvitation'> }) {
  const { organization_name, full_name, email, role, expires_at } = invitation
  const [page, as] = pageOf(role)
  return (
    <Step title={say('account.invited', { organization: organization_name })}>
      <p>{say(as, { name: full_name ?? email })}</p>
      <NewPassword label={say('account.accept')} set={(text) => accept(page, text)}>
        <Field
          label={say('login.email')}
          hint={say('account.email_hint')}
          type="email"
          autocomplete="username"
          readOnly
          value={email}
        />
      </NewPassword>
      <p class="muted small">{say('account.works_until', { time: dateOf(expires_at) })}</p>
    </Step>
  )
}
