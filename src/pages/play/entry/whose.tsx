import type { Schema } from '../../shared/forms/schema.js'
import { Step } from '../../shared/forms/step.js'
import { say } from '../../shared/words/words.js'
import { me } from '../state.js'

interface WhoseProps {
  briefing: Schema<'SessionBriefing'>
  onYes(): void
}

/** Asks on another device whether its reader is the one who has joined. */
export function Whose({ briefing, onYes }: WhoseProps) {
  const own = briefing.participants.find(({ user_id }) => user_id === me.value)
  const name = own?.display_name ?? '–'
  return (
    <Step title={say('play.whose', { name })} above={briefing.name}>
      <p>{say('play.whose_text', { name })}</p>
      <button type="button" class="primary wide" onClick={onYes}>
        {say('play.whose_yes')}
      </button>
      <p class="muted">{say('play.whose_no', { name })}</p>
    </Step>
  )
}
