import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { announce } from '../announcer.js'
import { say } from '../words/words.js'

interface StepProps {
  title: string
  /** What the view belongs to, such as a session; above the title. */
  above?: string | undefined
  /** Whether the view came by itself. Then it is announced, and does not take the focus from what has it. */
  isArrival?: boolean
  /** The id of the title, if it describes the only field of the view. Then that field gets the focus. */
  titleId?: string
  children: ComponentChildren
}

/** A view with one thing to do or to read. Its heading gets the focus, so that a screen reader begins there. */
export function Step({ title, above, isArrival = false, titleId, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    scrollTo(0, 0)
    const field = titleId && heading.current?.closest('main')?.querySelector('input')
    if (isArrival) announce(title, true)
    // What had the focus may be gone with the view before.
    const isLost = document.activeElement === document.body
    if (!isArrival || isLost) (field || heading.current)?.focus()
    document.title = above ? `${title} – ${above}` : title
  }, [title])
  return (
    <main class="column step stack">
      <header>
        <p class="muted small">{above ?? say('service.name')}</p>
        <h1 ref={heading} id={titleId} tabIndex={-1}>
          {title}
        </h1>
      </header>
      {children}
    </main>
  )
}

/** A view that waits. The words come late, because most waits are short. */
export function Waiting({ text = say('page.loading') }: { text?: string }) {
  return (
    <main class="column step">
      <p class="late row">
        <span class="spinner" aria-hidden="true" />
        <span role="status">{text}</span>
      </p>
    </main>
  )
}
