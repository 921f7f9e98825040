import type { JSX } from 'preact'

type ScrollAreaProps = JSX.IntrinsicElements['section'] & { label: string }

/** A part that scrolls on its own. */
export const ScrollArea = ({ label, ...section }: ScrollAreaProps) => (
  // Keys scroll only what has the focus, and Safari gives it to no part that merely scrolls. See the
  // rule scrollable-region-focusable of axe.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keys cannot scroll the part
  <section {...section} aria-label={label} tabIndex={0} />
)
