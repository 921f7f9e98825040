import { signal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { ActionForm, sayDone, useAction } from '../../../shared/forms/action.js'
import { Notice, Writing } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { hasKeyboard } from '../../../shared/keyboard.js'
import { faultText } from '../../../shared/service.js'
import { answerParticipant } from '../../calls/notes.js'
import { useDraft } from '../../draft.js'
import { sendByKeys } from '../../elements/send-by-keys.js'
import { say } from '../../words/words.js'
import type { DeskRoom } from '../desk-room.js'
import { nameOf } from './private-talk.js'

interface TalkToAllProps {
  places: readonly Schema<'ParticipantAssignment'>[]
  room: DeskRoom
}

/** Sends the same private words to each participant, and names those who did not get them. */
export function TalkToAll({ places, room }: TalkToAllProps) {
  const draft = useDraft(`talk ${room.session_id} all`)
  const action = useAction()
  const failed = useMemo(() => signal<readonly string[]>([]), [])
  const isAnswer = useMemo(() => signal(false), [])
  const { value: waiting } = room.privateWords.waiting
  const here = places.filter(({ left_at }) => left_at === null)
  const send = async () => {
    const { text: content, id } = draft
    const faults: string[] = []
    // One after the other: the service refuses many requests at once. Those who have the words already
    // do not get them again.
    for (const place of here) {
      const body = { content, client_message_id: `${id} ${place._id}`, to_all: true }
      try {
        room.privateWords.add([await answerParticipant(room.session_id, place._id, body)])
      } catch (error) {
        faults.push(`${nameOf(place)}: ${faultText(error)}`)
      }
    }
    failed.value = faults
    if (faults.length > 0) return
    draft.sent(id)
    // Only what was asked when the button was pressed: a later question has no answer yet.
    if (isAnswer.value) {
      for (const words of waiting) room.privateWords.settle(words)
    }
    isAnswer.value = false
    const sent = say('lead.wordsAllSent', { count: here.length })
    const left = room.privateWords.waiting.value.length
    sayDone(left === 0 ? sent : `${sent} ${say('lead.wordsAllLeft', { count: left })}`)
  }
  return (
    <details class="small">
      <summary>{say('lead.wordsAll')}</summary>
      <ActionForm action={action} act={send} kind="stack tight">
        <p class="muted">{say('lead.wordsAllWhy')}</p>
        <Writing
          label={say('lead.wordsAllText')}
          rows={2}
          required
          maxLength={10_000}
          placeholder={hasKeyboard ? say('lead.wordsKeys') : undefined}
          onKeyDown={sendByKeys}
          value={draft.text}
          onInput={draft.write}
        />
        {waiting.length > 0 && (
          <label class="choice-line">
            <input
              type="checkbox"
              checked={isAnswer.value}
              onChange={({ currentTarget }) => {
                isAnswer.value = currentTarget.checked
              }}
            />
            {say('lead.wordsAllAnswer', { count: waiting.length })}
          </label>
        )}
        {failed.value.length > 0 && <Failed texts={failed.value} />}
        <div>
          <button type="submit" class="small primary" aria-disabled={action.isBusy.value}>
            {say('lead.wordsAllSend', { count: here.length })}
          </button>
        </div>
      </ActionForm>
    </details>
  )
}

/** Names those who did not get the words. The list of people may be longer than its part of the desk. */
function Failed({ texts }: { texts: readonly string[] }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [texts])
  return (
    <div ref={box}>
      <Notice kind="bad">
        <p>{say('lead.wordsAllFailed')}</p>
        {texts.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </Notice>
    </div>
  )
}
