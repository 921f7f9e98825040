import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { hasKeyboard, keyOf } from '../../../shared/keyboard.js'
import { readStored, store } from '../../../shared/stored.js'
import { say } from '../../../shared/words/words.js'
import { written } from '../../../shared/written.js'
import type { Panes } from '../panes/panes.js'

interface ComposerProps {
  panes: Panes
  /** The key of the stored draft. Each box has its own. */
  draft: string
  label: string
  /** Why nothing can be sent now; null if it can. */
  obstacle: string | null
  /** Whether nothing can be sent any more. What is written stays, to be copied. */
  isOver?: boolean
  /** What to know before writing here. */
  note?: string | null
  onSend(text: string): void
}

const longest = 4_000

/**
 * A box for a message. With a keyboard, Enter sends; on a phone it begins a new line. What is typed stays in the box
 * itself, so that a letter redraws nothing.
 */
export function Composer(props: ComposerProps) {
  const { panes, draft, label, obstacle, isOver = false, note = null, onSend } = props
  const id = useId()
  const box = useRef<HTMLTextAreaElement>(null)
  // Before the next key, which would else be typed after the draft of another channel.
  useLayoutEffect(() => {
    const fill = () => {
      if (box.current) box.current.value = readStored<string>(draft) ?? ''
    }
    fill()
    addEventListener(`draft ${draft}`, fill)
    return () => removeEventListener(`draft ${draft}`, fill)
  }, [draft])
  const send = () => {
    const element = box.current
    if (!element || obstacle !== null) return
    const text = element.value
    element.focus()
    if (text.trim() === '') return
    element.value = ''
    store(draft, null)
    onSend(text)
  }
  const keys = hasKeyboard ? say('room.enter_sends') : null
  const hint = obstacle ?? [note, keys].filter(Boolean).join(' ')
  const onKeyDown = (event: KeyboardEvent) => {
    const isSending = keyOf(event) === 'Enter' && !event.shiftKey
    if (!isSending || !(hasKeyboard || event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    send()
  }
  return (
    <div class="composer">
      <ToDecision panes={panes} />
      {hint && (
        <p id={id} class="muted small">
          {hint}
        </p>
      )}
      <form
        class="composer-line"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <textarea
          {...written}
          ref={box}
          rows={1}
          maxLength={longest}
          readOnly={isOver}
          aria-label={label}
          placeholder={label}
          aria-describedby={hint ? id : undefined}
          onInput={({ currentTarget }) => store(draft, currentTarget.value || null)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="primary" aria-disabled={obstacle !== null}>
          {say('room.send')}
        </button>
      </form>
    </div>
  )
}

/** Leads by keyboard from the box to an open decision, which else comes before all messages. */
function ToDecision({ panes }: { panes: Panes }) {
  if (panes.room.decisions.value.every(({ status }) => status !== 'open')) return null
  return (
    <button
      type="button"
      class="small unseen"
      onClick={() => panes.openSide({ name: 'decisions' })}
    >
      {say('room.to_decision')}
    </button>
  )
}
