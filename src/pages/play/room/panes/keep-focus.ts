/**
 * Keeps the focus in a box while its writer presses a strip. Without it, more strips show before the click, and the
 * pressed one moves. Returns how to stop.
 */
export function keepFocusInBox(): () => void {
  const onMouseDown = (event: MouseEvent) => {
    const isStrip = event.target instanceof Element && event.target.closest('.deadline, .state')
    if (isStrip && document.activeElement?.matches('textarea')) event.preventDefault()
  }
  addEventListener('mousedown', onMouseDown)
  return () => removeEventListener('mousedown', onMouseDown)
}
