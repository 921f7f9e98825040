import { effect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { tryNow } from '../../../client/client.js'
import { announce } from '../announcer.js'
import { say } from '../words/words.js'
import type { Room } from './room.js'

/** Says that the connection is lost or slow, and offers to try again now. */
export function Connection({ room }: { room: Room }) {
  const trouble = room.trouble.value
  return trouble && <Trouble text={say(`connection.${trouble}`)} />
}

function Trouble({ text }: { text: string }) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(
    () => () => {
      // The button goes when the connection is back. The focus must not go with it.
      const hasFocus = button.current === document.activeElement
      if (hasFocus) document.querySelector<HTMLElement>('h1')?.focus()
    },
    [],
  )
  return (
    <div class="state warn row between">
      <p>{text}</p>
      <button ref={button} type="button" onClick={tryNow}>
        {say('connection.try_now')}
      </button>
    </div>
  )
}

/** Announces that the connection is lost, slow or back. Returns how to stop. */
export function announceConnection({ trouble }: Room): () => void {
  let before = trouble.peek()
  return effect(() => {
    const now = trouble.value
    if (now !== before) announce(say(`connection.${now ?? 'back'}`), now === 'lost')
    before = now
  })
}
