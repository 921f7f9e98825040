import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
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
  const isMissing = useSignal(false)
  const submit = (event: Event) => {
    event.preventDefault()
    isMissing.value = text.value.trim() === ''
    if (!isMissing.value) onNamed(text.value.trim())
  }
  return (
    <Step title={say('play.name_title')} above={above} titleId={id}>
      <form class="stack" onSubmit={submit} noValidate>
        <Field
          label={say('play.name')}
          hint={say('play.name_hint')}
          describedBy={id}
          fault={isMissing.value ? say('play.name_missing') : fault}
          autocomplete="name"
          required
          maxLength={100}
          value={text.value}
          onInput={(value) => (text.value = value)}
        />
        <button type="submit" class="primary wide">
          {say('play.next')}
        </button>
      </form>
    </Step>
  )
}
