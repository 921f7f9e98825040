import { useState } from 'preact/hooks'
import type { Tokens } from '../../client/client.js'
import { ActionForm, useAction } from './forms/action.js'
import { Field } from './forms/form.js'
import { NewPasswordField } from './forms/new-password-field.js'
import { service } from './service.js'
import { say } from './words/words.js'

interface LoginFormProps {
  /** The words of the button, if they are not "Log in". */
  label?: string
  onTokens(tokens: Tokens): unknown
}

/** Asks for the address and the password of an account. */
export function LoginForm({ label = say('login.log_in'), onTokens }: LoginFormProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const action = useAction()
  const logIn = async () => {
    const { data } = await service.api.POST('/api/v1/auth/login', { body: { email, password } })
    await onTokens(data)
  }
  return (
    <div class="stack">
      <ActionForm action={action} act={logIn} label={label}>
        <Field
          label={say('login.email')}
          type="email"
          autocomplete="username"
          required
          value={email}
          onInput={setEmail}
        />
        <Field
          label={say('login.password')}
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={setPassword}
        />
      </ActionForm>
      <p>
        <a href="/forgot-password">{say('login.forgotten')}</a>
      </p>
    </div>
  )
}

interface PasswordFormProps extends Required<LoginFormProps> {
  /** What the page calls the password that is replaced. */
  current: string
}

/** Replaces a temporary password: until then the service allows nothing else. */
export function PasswordForm({ current, label, onTokens }: PasswordFormProps) {
  const [current_password, setCurrent] = useState('')
  const [new_password, setNew] = useState('')
  const action = useAction()
  const change = async () => {
    const body = { current_password, new_password }
    const { data } = await service.api.POST('/api/v1/auth/change-password', { body })
    await onTokens(data)
  }
  return (
    <ActionForm action={action} act={change} label={label}>
      <Field
        label={current}
        type="password"
        autocomplete="current-password"
        required
        value={current_password}
        onInput={setCurrent}
        fault={action.faultAt('current_password')}
      />
      <NewPasswordField
        label={say('login.new_password')}
        value={new_password}
        onInput={setNew}
        fault={action.faultAt('new_password')}
      />
    </ActionForm>
  )
}
