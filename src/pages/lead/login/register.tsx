import { useState } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Field } from '../../shared/forms/form.js'
import { NewPasswordField } from '../../shared/forms/new-password-field.js'
import { logIn, service } from '../../shared/service.js'
import { go, href } from '../router.js'
import { say } from '../words/words.js'
import { Welcome } from './welcome.js'

const empty = { organization_name: '', first_name: '', last_name: '', email: '', password: '' }

/** Creates an organization with its first administrator. */
export function Register() {
  const [form, setForm] = useState(empty)
  const action = useAction()
  const register = async () => {
    const { data } = await service.api.POST('/api/v1/auth/register', { body: form })
    go('scenarios')
    logIn(data)
  }
  const field = (name: keyof typeof empty) => ({
    value: form[name],
    onInput: (value: string) => setForm((before) => ({ ...before, [name]: value })),
    fault: action.faultAt(name),
    required: true,
  })
  return (
    <Welcome title={say('lead.register')}>
      <p>{say('lead.registerWhy')}</p>
      <ActionForm action={action} act={register} label={say('lead.registerNow')}>
        <Field
          label={say('lead.organization')}
          autocomplete="organization"
          {...field('organization_name')}
        />
        <div class="pair">
          <Field label={say('lead.firstName')} autocomplete="given-name" {...field('first_name')} />
          <Field label={say('lead.lastName')} autocomplete="family-name" {...field('last_name')} />
        </div>
        <Field
          label={say('login.email')}
          type="email"
          autocomplete="username"
          {...field('email')}
        />
        <NewPasswordField label={say('login.password')} {...field('password')} />
      </ActionForm>
      <p>
        {say('lead.haveAccount')} <a href={href('login')}>{say('login.log_in')}</a>
      </p>
    </Welcome>
  )
}
