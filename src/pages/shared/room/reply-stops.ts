import { keyOf } from '../keyboard.js'

/**
 * Moves the focus with the arrow keys between the buttons with `data-reply` of a list. Only that of the last
 * message is a stop of the Tab key.
 */
export function moveBetweenReplies(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const key = keyOf(event)
  const step = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0
  const target = event.target as HTMLElement
  if (step === 0 || !target.matches('[data-reply]')) return
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-reply]')]
  const next = buttons[buttons.indexOf(target) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
  next.closest('li')?.scrollIntoView({ block: 'nearest' })
}
