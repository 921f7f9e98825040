import type { ComponentChildren } from 'preact'
import type { Action } from './action.js'

interface ActionButtonProps {
  action: Action
  act: () => Promise<void>
  /** What a screen reader hears once it is done. */
  done?: string
  kind?: string
  children: ComponentChildren
}

/** Once an action is done, its button may be gone. Then the focus moves to the heading of its part. */
export async function keepingFocus(
  button: HTMLElement | null,
  act: () => Promise<unknown>,
): Promise<void> {
  const part = button?.closest('section:has(h2)') ?? button?.closest('main')
  await act()
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    const heading = part?.querySelector<HTMLElement>('h1, h2')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus()
  })
}

/** A button for an action. While it is being done, the button stays where the focus is. */
export function ActionButton({ action, act, done, kind, children }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={kind}
      aria-disabled={action.isBusy.value}
      onClick={({ currentTarget }) => void keepingFocus(currentTarget, () => action.run(act, done))}
    >
      {children}
    </button>
  )
}
