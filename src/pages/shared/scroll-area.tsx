import type { JSX } from 'preact'

type ScrollAreaProps = JSX.IntrinsicElements['section'] & { label: string }

/** A part that scrolls on its own. */
export const ScrollArea = ({ label, ...section }: ScrollAreaProps) => (
  // The arrow keys scroll only what has the focus. In Safari a part that scrolls does not get it by
  // itself, so the rule scrollable-region-focusable of axe asks for `tabIndex`. The linter has no
  // exception for parts that scroll.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: people without a mouse scroll this part with keys
  <section {...section} aria-label={label} tabIndex={0} />
)
