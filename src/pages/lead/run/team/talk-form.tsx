import { useRef } from 'preact/hooks'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { keepingFocus } from '../../../shared/forms/action-button.js'
import { Writing } from '../../../shared/forms/form.js'
import { hasKeyboard } from '../../../shared/keyboard.js'
import { answerParticipant } from '../../calls/notes.js'
import { useDraft } from '../../draft.js'
import { sendByKeys } from '../../elements/send-by-keys.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'

interface TalkFormProps {
  place_id: string
  name: string
  room: DeskRoom
}

/** Sends private words to one participant. */
export function TalkForm({ place_id, name, room }: TalkFormProps) {
  const draft = useDraft(`talk ${place_id}`)
  const action = useAction()
  const button = useRef<HTMLButtonElement>(null)
  const send = async () => {
    const { text: content, id: client_message_id } = draft
    const body = { content, client_message_id }
    const sent = await answerParticipant(room.session_id, place_id, body)
    draft.sent(client_message_id)
    room.privateWords.add([sent])
    room.answering.value = null
  }
  return (
    <ActionForm
      action={action}
      act={() => keepingFocus(button.current, send)}
      done={say('lead.wordsSent', { name })}
      kind="stack tight"
    >
      <Writing
        label={say('lead.wordsText', { name })}
        rows={2}
        required
        maxLength={10_000}
        placeholder={hasKeyboard ? say('lead.wordsKeys') : undefined}
        value={draft.text}
        onInput={draft.write}
        onKeyDown={sendByKeys}
      />
      <div>
        <button
          ref={button}
          type="submit"
          class="small primary"
          aria-disabled={action.isBusy.value}
        >
          {say('lead.wordsSend')}
        </button>
      </div>
    </ActionForm>
  )
}
