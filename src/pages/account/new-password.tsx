import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ActionForm, useAction } from '../shared/forms/action.js'
import { NewPasswordField } from '../shared/forms/new-password-field.js'
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
      <NewPasswordField
        label={say('login.new_password')}
        fault={action.faultAt('new_password')}
        value={new_password.value}
        onInput={(text) => (new_password.value = text)}
      />
    </ActionForm>
  )
}
