import { useSignal } from '@preact/signals'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import type { Schema } from '../../shared/forms/schema.js'
import { Step } from '../../shared/forms/step.js'
import type { Room } from '../../shared/room/room.js'
import { faultIn, fieldFault, service } from '../../shared/service.js'
import { language, say } from '../../shared/words/words.js'
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
  const isMissing = useSignal(false)
  const hasChanged = useSignal(false)
  const action = useAction()
  const joinSession = async () => {
    isMissing.value = !agrees.value
    if (!agrees.value) return
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
  return (
    <Step title={say('play.consent')} above={briefing.name}>
      {hasChanged.value && (
        <p class="notice warn" role="alert">
          {say('play.consent_changed')}
        </p>
      )}
      {language !== 'en' && <p class="notice">{say('play.story_language')}</p>}
      <div class="card stack">
        <ConsentText consent={briefing.consent} />
      </div>
      <ActionForm action={action} act={joinSession} label={say('play.join')}>
        <label class="row check">
          <input
            type="checkbox"
            checked={agrees.value}
            aria-invalid={isMissing.value ? 'true' : undefined}
            onInput={({ currentTarget }) => (agrees.value = currentTarget.checked)}
          />
          <span>{say('play.agree')}</span>
        </label>
        {isMissing.value && !agrees.value && (
          <p class="fault" role="alert">
            {say('play.agree_first')}
          </p>
        )}
      </ActionForm>
    </Step>
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
