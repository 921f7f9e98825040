import { type Signal, useSignal } from '@preact/signals'
import { useContext, useId } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import type { Schema } from '../../shared/forms/schema.js'
import { Step } from '../../shared/forms/step.js'
import { FormValidity } from '../../shared/forms/validity.js'
import type { Room } from '../../shared/room/room.js'
import { faultIn, fieldFault, service } from '../../shared/service.js'
import { otherLanguage, say } from '../../shared/words/words.js'
import { isCode } from '../account.js'
import { keepAsKnown } from '../known.js'
import { ConsentText } from './consent-text.js'

interface ConsentProps {
  room: Room
  briefing: Schema<'SessionBriefing'>
  display_name: string | null
  onBadName(fault: string): void
}

/** What the participant agrees to. */
export function Consent({ room, briefing, display_name, onBadName }: ConsentProps) {
  const agrees = useSignal(false)
  const hasChanged = useSignal(false)
  const action = useAction()
  const joinSession = async () => {
    try {
      await join(room, { consent_version: briefing.consent.version, display_name })
    } catch (error) {
      const fault = faultIn(error, 'body.display_name')
      if (fault) return onBadName(fieldFault(fault))
      if (!isCode(error, 'consent_outdated')) throw error
      hasChanged.value = true
      agrees.value = false
    }
    await room.readBriefing()
  }
  const lang = otherLanguage(briefing.lang)
  return (
    <Step title={say('play.consent')} above={briefing.name}>
      {hasChanged.value && (
        <p class="notice warn" role="alert">
          {say('play.consent_changed')}
        </p>
      )}
      {lang && <p class="notice">{say('play.story_language', { lang })}</p>}
      <div class="card stack">
        <ConsentText consent={briefing.consent} />
      </div>
      <ActionForm action={action} act={joinSession} label={say('play.join')}>
        <Agree agrees={agrees} />
      </ActionForm>
    </Step>
  )
}

function Agree({ agrees }: { agrees: Signal<boolean> }) {
  const isMissing = useContext(FormValidity)?.ofSeveral !== undefined
  const id = useId()
  return (
    <>
      <label class="row check">
        <input
          type="checkbox"
          required
          checked={agrees.value}
          aria-invalid={isMissing ? 'true' : undefined}
          aria-describedby={isMissing ? id : undefined}
          onInput={({ currentTarget }) => (agrees.value = currentTarget.checked)}
        />
        <span>{say('play.agree')}</span>
      </label>
      {isMissing && (
        <p id={id} class="fault" role="alert">
          {say('play.agree_first')}
        </p>
      )}
    </>
  )
}

interface Answer {
  consent_version: number
  display_name: string | null
}

async function join(room: Room, answer: Answer): Promise<void> {
  const path = '/api/v1/simulation/sessions/{session_id}/participation'
  const params = { path: { session_id: room.session_id } }
  await service.api.POST(path, { params, body: { consent: true, ...answer } })
  keepAsKnown(room)
}
