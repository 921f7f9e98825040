import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Field } from '../../shared/forms/form.js'
import { Step } from '../../shared/forms/step.js'
import { say } from '../../shared/words/words.js'

interface NameProps {
  name: string
  fault: string | undefined
  above: string
  onNamed(name: string): void
}

/** How the others will call a guest. */
export function Name({ name, fault, above, onNamed }: NameProps) {
  const id = useId()
  const text = useSignal(name)
  const action = useAction()
  const submit = async () => onNamed(text.value.trim())
  return (
    <Step title={say('play.name_title')} above={above} titleId={id}>
      <ActionForm action={action} act={submit} label={say('play.next')}>
        <Field
          label={say('play.name')}
          hint={say('play.name_hint')}
          describedBy={id}
          fault={fault}
          autocomplete="name"
          required
          pattern=".*\S.*"
          maxLength={100}
          value={text.value}
          onInput={(value) => (text.value = value)}
        />
      </ActionForm>
    </Step>
  )
}
