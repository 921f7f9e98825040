/**
 * Marks the page while its reader types. A small screen then shows less. The mark stays until the end of the press
 * that takes the focus away: without it, more is shown at once, and the press misses what has moved. Returns how to
 * stop.
 */
export function markTyping(): () => void {
  const page = document.documentElement
  const stop = new AbortController()
  let isPressed = false
  const mark = () => {
    const isTyping = document.activeElement?.matches('textarea') ?? false
    if (!isPressed) page.toggleAttribute('data-typing', isTyping)
  }
  const press = (isDown: boolean) => () => {
    isPressed = isDown
    // The click comes after the end of the press.
    if (!isDown) setTimeout(mark)
  }
  const { signal } = stop
  addEventListener('focusin', mark, { signal })
  addEventListener('focusout', mark, { signal })
  addEventListener('mousedown', press(true), { signal, capture: true })
  addEventListener('mouseup', press(false), { signal, capture: true })
  return () => {
    stop.abort()
    page.removeAttribute('data-typing')
  }
}
