import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { say } from '../words/words.js'
import { Field } from './form.js'

interface NewPasswordFieldProps {
  label: string
  value: string
  fault: string | undefined
  onInput(value: string): void
}

/** A password that a person chooses. A common one is allowed, with a warning. */
export function NewPasswordField({ onInput, ...field }: NewPasswordFieldProps) {
  const id = useId()
  const isCommon = useSignal(false)
  const write = async (text: string) => {
    onInput(text)
    // Without a connection there is no warning.
    const list = await import('./common-passwords.js').catch(() => null)
    isCommon.value = list?.isCommon(text) ?? false
  }
  return (
    <div class="stack tight">
      <Field
        {...field}
        type="password"
        autocomplete="new-password"
        hint={say('login.password_hint')}
        describedBy={id}
        required
        minLength={8}
        maxLength={128}
        onInput={(text) => void write(text)}
      />
      <div id={id} role="status">
        {isCommon.value && <p class="notice warn small">{say('login.common_password')}</p>}
      </div>
    </div>
  )
}
