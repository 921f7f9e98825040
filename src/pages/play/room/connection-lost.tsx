import { useLayoutEffect, useRef } from 'preact/hooks'
import { tryNow } from '../../../client/client.js'
import { say } from '../../shared/words/words.js'

/** Says that the connection is lost, and offers to try again now. */
export function ConnectionLost() {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(
    () => () => {
      // The button goes when the connection is back. The focus must not go with it.
      const hasFocus = button.current === document.activeElement
      if (hasFocus) document.querySelector<HTMLElement>('.room-head h1')?.focus()
    },
    [],
  )
  return (
    <div class="state warn row between">
      <p>{say('play.connection_lost')}</p>
      <button ref={button} type="button" onClick={tryNow}>
        {say('play.try_now')}
      </button>
    </div>
  )
}
