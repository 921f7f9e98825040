import { Step } from '../../shared/forms/step.js'
import { say } from '../../shared/words/words.js'
import { BackToOwn } from './link.js'

interface WhoseProps {
  /** Null if the person with the place has not given a name yet. */
  name: string | null
  onYes(): unknown
}

/** Asks on another device whether its reader is the one who has the place. Until then, nothing changes. */
export function Whose({ name, onYes }: WhoseProps) {
  return (
    <Step title={name ? say('play.whose', { name }) : say('play.whose_opened')}>
      <p>{name ? say('play.whose_text', { name }) : say('play.whose_opened_text')}</p>
      <button type="button" class="primary wide" onClick={onYes}>
        {say('play.whose_yes')}
      </button>
      <p class="muted">{say('play.whose_no')}</p>
      <BackToOwn />
    </Step>
  )
}
