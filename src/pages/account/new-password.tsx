import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ActionForm, useAction } from '../shared/forms/action.js'
import { Field } from '../shared/forms/form.js'
import { say } from '../shared/words/words.js'

interface NewPasswordProps {
  label: string
  set(new_password: string): Promise<void>
  /** What is above the field. */
  children?: ComponentChildren
}

/** Asks for a new password. */
export function NewPassword({ label, set, children }: NewPasswordProps) {
  const new_password = useSignal('')
  const action = useAction()
  const save = () => set(new_password.value)
  return (
    <ActionForm action={action} act={save} kind="card stack" label={label}>
      {children}
      <Field
        label={say('login.new_password')}
        hint={say('login.password_hint')}
        fault={action.faultAt('new_password')}
        type="password"
        autocomplete="new-password"
        required
        minLength={8}
        maxLength={128}
        value={new_password.value}
        onInput={(text) => (new_password.value = text)}
      />
    </ActionForm>
  )
}
