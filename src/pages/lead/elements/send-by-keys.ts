import { keyOf } from '../../shared/keyboard.js'

/** Sends the form of a text with Ctrl+Enter, or Cmd+Enter. Enter alone begins a new line. */
export function sendByKeys(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
  if (keyOf(event) !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
