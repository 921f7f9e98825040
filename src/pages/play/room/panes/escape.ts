import { keyOf } from '../../../shared/keyboard.js'
import { isWide, type Panes } from './panes.js'

/** Makes the Escape key close the side pane. Returns how to stop. */
export function closeOnEscape(panes: Panes): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const isSideShown =
      panes.side.peek() !== null && (isWide.peek() || panes.pane.peek() === 'side')
    if (keyOf(event) !== 'Escape' || !isSideShown) return
    // These close themselves with the same key.
    if (document.querySelector('dialog[open]') || isList(event.target)) return
    panes.back()
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

const isList = (target: EventTarget | null) =>
  target instanceof Element && target.matches('select, [list]')
